#include "io/movie.h"

#include "base/assert.h"
#include "base/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

extern char** environ;

namespace rivulet {
namespace {

std::vector<std::string> ffmpeg_arguments(const std::string& format, const std::string& output, int width, int height,
                                          double frames_per_second)
{
    std::vector<std::string> arguments{"ffmpeg",
                                       "-hide_banner",
                                       "-loglevel",
                                       "error",
                                       "-y",
                                       "-f",
                                       "rawvideo",
                                       "-pixel_format",
                                       "rgb24",
                                       "-video_size",
                                       fmt::format("{}x{}", width, height),
                                       "-framerate",
                                       fmt::format("{:.6f}", frames_per_second),
                                       "-i",
                                       "pipe:0"};
    const auto add = [&](std::initializer_list<const char*> more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
    };
    if (format == "mp4")
        add({"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-pix_fmt",
             "yuv420p", "-movflags", "+faststart"});
    else
        add({"-filter_complex", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=sierra2_4a"});
    add({"-fflags", "+bitexact", "-flags", "+bitexact", "-map_metadata", "-1", "-f", format.c_str()});
    arguments.push_back("file:" + output);
    return arguments;
}

/// The kind of movie that the extension stands for.
std::string movie_format(const std::filesystem::path& path)
{
    const std::string extension = path.extension().string();
    if (extension == ".mp4" || extension == ".gif") return extension.substr(1);
    throw InputError(path.string() + ": a movie's name ends in .mp4 or .gif");
}

/// What a program wrote to a file without a name, at most its last 800 bytes.
std::string tail_of(int descriptor)
{
    constexpr off_t kTail = 800;
    const off_t size = ::lseek(descriptor, 0, SEEK_END);
    if (size <= 0) return {};
    std::string text(static_cast<std::size_t>(std::min(size, kTail)), '\0');
    const ssize_t n = ::pread(descriptor, text.data(), text.size(), size - static_cast<off_t>(text.size()));
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

/// Owns a file descriptor.
class Handle {
public:
    explicit Handle(int value = -1) : value_(value) {}
    ~Handle() { close(); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    void close() noexcept
    {
        if (value_ >= 0) ::close(value_);
        value_ = -1;
    }
    void reset(int value) noexcept
    {
        close();
        value_ = value;
    }
    [[nodiscard]] int get() const noexcept { return value_; }

private:
    int value_;
};

} // namespace

/// The running ffmpeg: frames go to its standard input, its complaints to a nameless file.
class MovieWriter::Encoder {
public:
    Encoder(const std::filesystem::path& path, int width, int height, double frames_per_second)
        : path_(path), temporary_(fmt::format("{}.{}.tmp", path.string(), ::getpid()))
    {
        const auto arguments = ffmpeg_arguments(movie_format(path), temporary_, width, height, frames_per_second);
        make_temporary();
        // A socket, not a pipe: a write to a program that has died is then an error, not a signal.
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail(std::strerror(errno));
        input_.reset(ends[0]);
        const Handle child_end(ends[1]);
        messages_.reset(::memfd_create("ffmpeg messages", MFD_CLOEXEC));
        if (messages_.get() < 0) fail(std::strerror(errno));
        start(arguments, child_end.get());
    }

    ~Encoder()
    {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            (void)wait();
        }
        ::unlink(temporary_.c_str());
    }
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    void write(std::span<const std::uint8_t> bytes)
    {
        while (!bytes.empty()) {
            const ssize_t n = ::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) { // it has ended by itself: its own words say why
                const int error = errno;
                input_.close();
                (void)wait();
                fail(error == EPIPE || error == ECONNRESET ? "ffmpeg ended early" : std::strerror(error));
            }
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
    }

    void finish()
    {
        input_.close();
        const int status = wait();
        if (status != 0) fail(fmt::format("ffmpeg failed (status {})", status));
        std::error_code error;
        std::filesystem::rename(temporary_, path_, error);
        if (error) fail(error.message());
    }

private:
    /// Ffmpeg would find out only after the first frames that it cannot write here.
    void make_temporary()
    {
        std::error_code error;
        if (std::filesystem::is_directory(path_, error)) fail("it is a folder");
        const Handle made(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        if (made.get() < 0) fail(std::strerror(errno));
    }

    void start(const std::vector<std::string>& arguments, int child_input)
    {
        std::vector<char*> argv;
        for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, child_input, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, messages_.get(), 2);
        const int error = ::posix_spawnp(&process_, "ffmpeg", &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        if (error == 0) return;
        process_ = -1;
        fail(error == ENOENT ? "the program ffmpeg is not installed (Debian package: ffmpeg)" : std::strerror(error));
    }

    /// Exit status of the program, or 128 + the signal that ended it.
    int wait()
    {
        int status = 0;
        while (process_ > 0 && ::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

    [[noreturn]] void fail(const std::string& what)
    {
        ::unlink(temporary_.c_str()); // a constructor that fails has no destructor to do it
        const std::string words = messages_.get() >= 0 ? tail_of(messages_.get()) : std::string();
        throw IoError(
            fmt::format("{}: cannot make the movie: {}{}{}", path_.string(), what, words.empty() ? "" : "\n", words));
    }

    std::filesystem::path path_;
    std::string temporary_;
    Handle input_, messages_;
    pid_t process_ = -1;
};

MovieWriter::MovieWriter(const std::filesystem::path& path, int width, int height, double frames_per_second)
    : width_(width), height_(height)
{
    RIVULET_VERIFY(width > 0 && height > 0);
    if (!(frames_per_second > 0 && frames_per_second <= 1000))
        throw InputError(path.string() + ": a movie has more than 0 and at most 1000 frames a second");
    encoder_ = std::make_unique<Encoder>(path, width, height, frames_per_second);
}

MovieWriter::~MovieWriter() = default;

void MovieWriter::add(const Image& frame)
{
    RIVULET_VERIFY(encoder_);
    if (frame.width != width_ || frame.height != height_)
        throw InputError(fmt::format("movie: a frame is {} x {} pixels, the first was {} x {}", frame.width,
                                     frame.height, width_, height_));
    encoder_->write(frame.pixels);
}

void MovieWriter::finish()
{
    RIVULET_VERIFY(encoder_);
    encoder_->finish();
    encoder_.reset();
}

void require_movie(const std::filesystem::path& path, double frames_per_second)
{
    const MovieWriter movie(path, 16, 16, frames_per_second); // of any size: it is dropped
}

void write_movie(std::span<const std::filesystem::path> frames, double frames_per_second,
                 const std::filesystem::path& path)
{
    if (frames.empty()) throw InputError(path.string() + ": a movie needs at least one frame");
    const Image first = read_png(frames.front());
    MovieWriter movie(path, first.width, first.height, frames_per_second);
    movie.add(first);
    for (const auto& frame : frames.subspan(1)) movie.add(read_png(frame));
    movie.finish();
}

void write_movie(std::span<const Image> frames, double frames_per_second, const std::filesystem::path& path)
{
    if (frames.empty()) throw InputError(path.string() + ": a movie needs at least one frame");
    MovieWriter movie(path, frames.front().width, frames.front().height, frames_per_second);
    for (const Image& frame : frames) movie.add(frame);
    movie.finish();
}

} // namespace rivulet
