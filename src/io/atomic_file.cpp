#include "io/atomic_file.h"

#include "base/error.h"
#include "io/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace rivulet {
namespace {

template <class Container>
Container read_whole(const std::filesystem::path& path)
{
    const Descriptor file(path, O_RDONLY);
    Container content;
    content.resize(file.size());
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t n = ::read(file.get(), content.data() + done, content.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_io_error("cannot read", path, errno);
        if (n == 0) break; // shortened while it was read
        done += static_cast<std::size_t>(n);
    }
    content.resize(done);
    return content;
}

} // namespace

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + ".tmp-" + std::to_string(::getpid()))
{
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw_io_error("cannot create", path_, errno);
}

AtomicFile::~AtomicFile()
{
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* action, int error) { throw_io_error(action, path_, error); }

void AtomicFile::write(std::span<const std::byte> bytes)
{
    if (const int error = write_fully(descriptor_, bytes)) fail("cannot write", error);
}

void AtomicFile::commit()
{
    if (::fsync(descriptor_) != 0) fail("cannot write", errno);
    const int closed = ::close(descriptor_);
    const int close_error = errno;
    descriptor_ = -1;
    if (closed != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int error = closed != 0 ? close_error : errno;
        ::unlink(temporary_.c_str());
        fail("cannot write", error);
    }
    sync_folder(path_.parent_path());
}

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes)
{
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text)
{
    write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path)
{
    return read_whole<std::vector<std::byte>>(path);
}

std::string read_text(const std::filesystem::path& path) { return read_whole<std::string>(path); }

void make_folder(const std::filesystem::path& path)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error || !std::filesystem::is_directory(path))
        throw IoError("cannot make the folder " + path.string() + ": " +
                      (error ? error.message() : "a file is in the way"));
}

} // namespace rivulet
