#include "run/run_folder.h"

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/sealed_file.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <system_error>

namespace rivulet {
namespace {

namespace fs = std::filesystem;

/// Says that a folder was made by a run, whatever became of it, and is what is locked.
constexpr const char* kMarker = ".rivulet-run";
constexpr const char* kFolders[] = {"frames", "checkpoints", "preview", "plots", "mesh", "export", "inputs"};
constexpr const char* kFiles[] = {"scene.toml", "log.txt",   "report.json", "ledger.csv",
                                  "probes.csv", "steps.csv", "energy.csv"};
constexpr const char* kDemoMarker = ".rivulet-demo";
constexpr const char* kDemoMovie = "demo.mp4";

std::vector<std::int64_t> numbers_in(const fs::path& folder)
{
    std::vector<std::int64_t> numbers;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string stem = entry.path().stem().string();
        std::int64_t number = 0;
        const auto read = std::from_chars(stem.data(), stem.data() + stem.size(), number);
        const bool whole = read.ec == std::errc() && read.ptr == stem.data() + stem.size();
        if (whole && entry.path().extension() == ".h5") numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

void remove_or_throw(const fs::path& path)
{
    std::error_code error;
    fs::remove_all(path, error);
    if (error) throw IoError("cannot delete " + path.string() + ": " + error.message());
}

void delete_earlier_run(const fs::path& folder)
{
    for (const char* name : kFolders) remove_or_throw(folder / name);
    for (const char* name : kFiles) remove_or_throw(folder / name);
    std::error_code error;
    if (fs::exists(folder / kDemoMarker, error)) // else a movie of that name is the user's own
        for (const char* name : {kDemoMovie, kDemoMarker}) remove_or_throw(folder / name);
}

/// Markers that runs did not get to give their name: they were killed as they began.
std::vector<fs::path> unfinished_markers(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (entry.path().filename().string().starts_with(std::string(kMarker) + ".tmp-")) found.push_back(entry.path());
    return found;
}

/// Whether a folder has more in it than such markers.
bool holds_something(const fs::path& folder)
{
    std::error_code error;
    const auto n_entries = std::distance(fs::directory_iterator(folder, error), fs::directory_iterator());
    return n_entries > static_cast<std::ptrdiff_t>(unfinished_markers(folder).size());
}

} // namespace

std::string six_digits(std::int64_t number) { return fmt::format("{:06}", number); }

fs::path RunFolder::frame(std::int64_t number) const { return path_ / "frames" / (six_digits(number) + ".h5"); }
fs::path RunFolder::checkpoint(std::int64_t step) const { return path_ / "checkpoints" / (six_digits(step) + ".h5"); }
fs::path RunFolder::picture(std::int64_t frame) const { return path_ / "preview" / (six_digits(frame) + ".png"); }

std::vector<std::int64_t> RunFolder::frames() const { return numbers_in(path_ / "frames"); }
std::vector<std::int64_t> RunFolder::checkpoints() const { return numbers_in(path_ / "checkpoints"); }

bool RunFolder::is_run() const
{
    std::error_code error;
    if (fs::exists(path_ / kMarker, error)) return true;
    // A copy may lack hidden files. A scene with frames or checkpoints under our seal is a run all the same.
    const auto is_ours = [](const std::vector<std::int64_t>& numbers, auto&& path) {
        return !numbers.empty() && begins_with_seal(path(numbers.front()));
    };
    return fs::is_regular_file(file("scene.toml"), error) &&
           (is_ours(frames(), [&](std::int64_t n) { return frame(n); }) ||
            is_ours(checkpoints(), [&](std::int64_t n) { return checkpoint(n); }));
}

void RunFolder::mark() const
{
    std::error_code error;
    if (fs::exists(path_ / kMarker, error)) return; // and may be locked
    write_file_atomically(path_ / kMarker, "This folder was made by rivulet run.\n");
}

void RunFolder::create(bool force) const
{
    std::error_code error;
    const bool exists = fs::exists(path_, error);
    if (exists && !fs::is_directory(path_, error))
        throw InputError(path_.string() + ": a file is in the way of the run folder");
    const bool is_taken = exists && holds_something(path_);
    if (is_taken && !is_run())
        throw InputError(path_.string() + ": not empty and not a run folder; choose another folder with --out");
    if (is_taken && !force)
        throw InputError(path_.string() +
                         ": holds an earlier run; continue it with --resume, replace it with --force, or "
                         "choose another folder with --out");
    make_folder(path_);
    if (is_taken) delete_earlier_run(path_);
    for (const fs::path& marker : unfinished_markers(path_)) remove_or_throw(marker);
    mark();
    for (const char* name : {"frames", "checkpoints", "preview"}) make_folder(path_ / name);
}

bool RunFolder::would_replace(const fs::path& file) const
{
    std::error_code error;
    const fs::path inside = fs::weakly_canonical(file, error).lexically_relative(fs::weakly_canonical(path_, error));
    if (!is_run() || inside.empty()) return false;
    const auto is_first = [&](const char* name) { return *inside.begin() == name; };
    return std::ranges::any_of(kFolders, is_first) || std::ranges::any_of(kFiles, is_first);
}

std::unique_ptr<Descriptor> RunFolder::lock() const
{
    mark();
    auto marker = std::make_unique<Descriptor>(path_ / kMarker, O_RDONLY);
    if (::flock(marker->get(), LOCK_EX | LOCK_NB) == 0) return marker;
    if (errno != EWOULDBLOCK) throw_io_error("cannot lock", path_ / kMarker, errno);
    throw InputError(path_.string() +
                     ": another run is at work in this folder; wait for its end, or choose another with --out");
}

void RunFolder::drop_frames_after(std::int64_t last) const
{
    for (const std::int64_t number : frames())
        if (number > last) remove_or_throw(frame(number));
}

void RunFolder::drop_report() const
{
    std::error_code error;
    if (fs::exists(file("report.json"), error)) remove_or_throw(file("report.json"));
}

void RunFolder::replace_report(const Json& report) const
{
    try {
        write_file_atomically(file("report.json"), report.dump() + "\n");
    } catch (const IoError&) {
        drop_report();
        throw;
    }
}

RunFolder open_run(const fs::path& path)
{
    RunFolder folder(path);
    if (!folder.is_run()) throw InputError(path.string() + ": not a run folder (rivulet run makes one)");
    return folder;
}

} // namespace rivulet
