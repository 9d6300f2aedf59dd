#include "run/run_folder.h"

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/sealed_file.h"
#include "rivulet/run.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

TEST(RunFolder, RefusesToOverwriteWithoutForce)
{
    const TemporaryFolder temporary;
    const RunFolder folder(temporary.path() / "run");
    folder.create(false);
    EXPECT_THROW(folder.create(false), InputError);
    EXPECT_NO_THROW(folder.create(true));
}

TEST(RunFolder, OnlyOneRunMayBeAtWorkInIt)
{
    const TemporaryFolder temporary;
    const RunFolder folder(temporary.path() / "run");
    folder.create(false);
    auto first = folder.lock();
    folder.create(true); // as --force does, under the lock
    EXPECT_THROW((void)folder.lock(), InputError);
    first.reset();
    EXPECT_NO_THROW((void)folder.lock());
}

TEST(RunFolder, NoReportIsLeftWhereItsSuccessorCannotBeWritten)
{
    const TemporaryFolder temporary;
    const RunFolder folder(temporary.path() / "run");
    folder.create(false);
    std::filesystem::create_directory(folder.file("report.json")); // no file can take this name
    EXPECT_THROW(folder.replace_report(Json(0)), IoError);
    EXPECT_FALSE(std::filesystem::exists(folder.file("report.json")));
    folder.replace_report(Json(5));
    EXPECT_EQ(read_text(folder.file("report.json")), "5\n");
}

TEST(RunFolder, ForceNeverTouchesAFolderThatIsNotARun)
{
    const TemporaryFolder temporary;
    write_file_atomically(temporary.path() / "thesis.tex", "years of work");
    EXPECT_THROW(RunFolder(temporary.path()).create(true), InputError);
    EXPECT_EQ(read_text(temporary.path() / "thesis.tex"), "years of work");
}

TEST(RunFolder, WhatARunLeftThatWasKilledAsItBeganIsNotInTheWay)
{
    const TemporaryFolder temporary;
    const auto marker = temporary.path() / ".rivulet-run.tmp-123";
    write_file_atomically(marker, "This folder");
    RunFolder(temporary.path()).create(false);
    EXPECT_FALSE(std::filesystem::exists(marker));
    const TemporaryFolder other;
    write_file_atomically(other.path() / ".rivulet-run.tmp-123", "This folder");
    write_file_atomically(other.path() / "thesis.tex", "years of work");
    EXPECT_THROW(RunFolder(other.path()).create(true), InputError);
}

TEST(RunFolder, ForceDeletesTheRunAndNothingElse)
{
    const TemporaryFolder temporary;
    const RunFolder folder(temporary.path() / "run");
    folder.create(false);
    write_file_atomically(folder.frame(3), "old");
    write_file_atomically(folder.file("report.json"), "{}");
    write_file_atomically(folder.file("notes.txt"), "mine");
    write_file_atomically(folder.file("demo.mp4"), "mine"); // there is no mark of a demo
    folder.create(true);
    EXPECT_EQ(read_text(folder.file("demo.mp4")), "mine");
    EXPECT_TRUE(folder.frames().empty());
    EXPECT_FALSE(std::filesystem::exists(folder.file("report.json")));
    EXPECT_EQ(read_text(folder.file("notes.txt")), "mine");
}

TEST(RunFolder, ForceDeletesWhatADemoMade)
{
    const TemporaryFolder temporary;
    const RunFolder folder(temporary.path() / "run");
    folder.create(false);
    for (const char* name : {".rivulet-demo", "demo.mp4"}) write_file_atomically(folder.file(name), "old");
    folder.create(true);
    for (const char* name : {".rivulet-demo", "demo.mp4"})
        EXPECT_FALSE(std::filesystem::exists(folder.file(name))) << name;
}

TEST(RunFolder, IsKnownWithoutItsHiddenFileByWhatOnlyARunWrites)
{
    const TemporaryFolder temporary;
    const RunFolder folder(temporary.path() / "copy");
    make_folder(folder.path() / "frames");
    write_file_atomically(folder.file("scene.toml"), "title = 'mine'\n");
    write_file_atomically(folder.frame(0), "some other program's frame");
    EXPECT_FALSE(folder.is_run());
    EXPECT_THROW(folder.create(true), InputError);
    write_sealed(folder.frame(0), {});
    EXPECT_TRUE(folder.is_run());
    EXPECT_EQ(open_run(folder.path()).frames(), std::vector<std::int64_t>{0});
    const auto lock = folder.lock();
    EXPECT_THROW((void)folder.lock(), InputError);
    std::filesystem::remove(folder.file("scene.toml"));
    EXPECT_TRUE(folder.is_run()); // the lock has marked it
}

TEST(RunFolder, FramesAreThoseWithANumber)
{
    const TemporaryFolder temporary;
    const RunFolder folder(temporary.path() / "run");
    folder.create(false);
    for (const char* name : {"000010.h5", "000002.h5", "000003.h5.tmp-1", "x.h5", "000004.txt"})
        write_file_atomically(folder.path() / "frames" / name, "");
    EXPECT_EQ(folder.frames(), (std::vector<std::int64_t>{2, 10}));
    folder.drop_frames_after(2);
    EXPECT_EQ(folder.frames(), (std::vector<std::int64_t>{2}));
}

TEST(ParseBytes, KnowsDecimalAndBinaryUnits)
{
    EXPECT_EQ(parse_bytes("1500"), 1500);
    EXPECT_EQ(parse_bytes("2GB"), 2e9);
    EXPECT_EQ(parse_bytes("1.5 GiB"), 1610612736);
    for (const char* bad : {"", "GB", "-1", "0", "2 XB", "nan", "inf", "1e999"})
        EXPECT_THROW((void)parse_bytes(bad), InputError) << bad;
}

} // namespace
} // namespace rivulet
