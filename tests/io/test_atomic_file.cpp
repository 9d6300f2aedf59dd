#include "io/atomic_file.h"

#include "base/error.h"
#include "io/append_file.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>

namespace rivulet {
namespace {

std::size_t entries(const std::filesystem::path& folder)
{
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// Files cannot grow beyond `bytes` while this lives: what a full disk looks like.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit now{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
};

template <class Action>
std::string io_message(Action&& action)
{
    try {
        action();
    } catch (const IoError& error) {
        return error.what();
    }
    return {};
}

TEST(AtomicFile, CommittedContentReplacesTheOldOne)
{
    const TemporaryFolder folder;
    write_file_atomically(folder.path() / "a", "one");
    write_file_atomically(folder.path() / "a", "second");
    EXPECT_EQ(read_text(folder.path() / "a"), "second");
    EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, WithoutCommitNothingIsLeft)
{
    const TemporaryFolder folder;
    {
        AtomicFile file(folder.path() / "a");
        file.write("half");
    }
    EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(AtomicFile, FailedWriteKeepsTheOldContentAndNamesPathAndReason)
{
    const TemporaryFolder folder;
    const auto path = folder.path() / "a";
    write_file_atomically(path, "old");
    std::string message;
    {
        const FileSizeLimit limit(1000);
        message = io_message([&] { write_file_atomically(path, std::string(5000, 'x')); });
    }
    EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << message; // strerror(EFBIG)
    EXPECT_EQ(read_text(path), "old");
    EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, MissingFolderIsNamed)
{
    const TemporaryFolder folder;
    const auto path = folder.path() / "none" / "a";
    const std::string message = io_message([&] { write_file_atomically(path, "x"); });
    EXPECT_NE(message.find(path.string() + ": No such file or directory"), std::string::npos) << message;
}

TEST(AppendFile, KeepsTheCoveredRowsAndDropsTheRest)
{
    const TemporaryFolder folder;
    const auto path = folder.path() / "rows.csv";
    std::int64_t covered = 0;
    {
        AppendFile file(path);
        file.append("a,b\n1,2\n");
        covered = file.size();
        file.append("3,4\n");
        file.sync();
        EXPECT_EQ(file.size(), 12);
    }
    AppendFile again(path, covered);
    again.append("5,6\n");
    again.sync();
    EXPECT_EQ(read_text(path), "a,b\n1,2\n5,6\n");
}

TEST(AppendFile, LostRowsAreNoticed)
{
    const TemporaryFolder folder;
    const auto path = folder.path() / "rows.csv";
    write_file_atomically(path, "a\n");
    EXPECT_NE(io_message([&] { AppendFile file(path, 100); }).find(path.string()), std::string::npos);
}

TEST(AppendFile, FailedWriteNamesThePath)
{
    const TemporaryFolder folder;
    AppendFile file(folder.path() / "rows.csv");
    file.append(std::string(3000, 'x'));
    const FileSizeLimit limit(1000);
    EXPECT_NE(io_message([&] { file.sync(); }).find("rows.csv"), std::string::npos);
}

} // namespace
} // namespace rivulet
