#include "rivulet/run.h"

#include "base/assert.h"
#include "base/error.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "io/json.h"
#include "run/small_scene.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

class Runs : public testing::Test {
protected:
    void SetUp() override { write_file_atomically(scene(), test::kSmallScene); }
    [[nodiscard]] std::filesystem::path scene() const { return folder.path() / "small.toml"; }
    [[nodiscard]] std::filesystem::path out(const std::string& name) const { return folder.path() / name; }
    RunOutcome run(const std::string& name, RunOptions options = {}) const
    {
        options.out = out(name);
        options.checkpoint_every = 1;
        return run_scene(scene(), options);
    }
    TemporaryFolder folder;
};

TEST_F(Runs, ResumedRunWritesTheSameTablesAndHash)
{
    const RunOutcome whole = run("whole");
    RunOptions first, second;
    first.frames = 2;
    second.resume = true;
    (void)run("parts", first);
    const RunOutcome parts = run("parts", second);
    EXPECT_EQ(parts.state_hash, whole.state_hash);
    for (const char* table : {"ledger.csv", "probes.csv", "steps.csv", "energy.csv"})
        EXPECT_EQ(read_text(out("parts") / table), read_text(out("whole") / table)) << table;
    EXPECT_EQ(read_bytes(out("parts") / "frames/000004.h5"), read_bytes(out("whole") / "frames/000004.h5"));
}

TEST_F(Runs, ResumedFilmsOnAMeshOfTheirOwnHaveTheSameBits)
{
    RunOptions whole;
    whole.overrides = {"wetting.liquid='water'", "wetting.film_parts=3", "strands.reeds.film={thickness='1 mm'}"};
    RunOptions first = whole, second = whole;
    first.frames = 2;
    second.resume = true;
    const RunOutcome expected = run("whole", whole);
    (void)run("parts", first);
    EXPECT_EQ(run("parts", second).state_hash, expected.state_hash);
}

TEST_F(Runs, ABrokenInvariantNamesItsStepAndTheCheckpointToResumeFrom)
{
    RunOptions options;
    options.progress = [](const Progress& progress) {
        if (progress.step == 3) throw InternalError("broken invariant: test");
    };
    try {
        (void)run("a", options);
        FAIL() << "not noticed";
    } catch (const InternalError& error) {
        const std::string what = error.what();
        EXPECT_EQ(what.rfind("broken invariant: test\nin step 4, from t = 0.0", 0), 0u) << what;
        EXPECT_NE(what.find("the last checkpoint is " + (out("a") / "checkpoints").string()), std::string::npos)
            << what;
        EXPECT_NE(what.find("with --resume goes on from it"), std::string::npos) << what;
        EXPECT_NE(read_text(out("a") / "log.txt").find("broken invariant: test"), std::string::npos);
    }
    RunOptions again;
    again.resume = true;
    EXPECT_EQ(run("a", again).exit, 0);
}

TEST_F(Runs, TheWorstContactResidualIsThatOfAllStepsAlsoOfAResumedRun)
{
    RunOptions first, second;
    first.overrides = second.overrides = {"strands.reeds.held=free", "strands.reeds.count=20"}; // they fall on the post
    first.frames = 2;
    second.resume = true;
    (void)run("parts", first);
    (void)run("parts", second);
    double worst = 0;
    const CsvTable steps = read_csv(out("parts") / "steps.csv");
    for (const double residual : steps.numbers(steps.column("contact_residual"))) worst = std::max(worst, residual);
    const Json strands = *parse_json(read_text(out("parts") / "report.json")).find("strands");
    EXPECT_GT(worst, 0);
    EXPECT_EQ(strands.find("worst_contact_residual")->number(), worst);
    EXPECT_LE(strands.find("contact_residual")->number(), worst);
}

/// A hair between two bodies, one of which draws it from 20 to 21 cm and goes back, above one that nobody draws.
constexpr const char* kDrawn = R"(
[simulation]
cell_size = "5 cm"
end_time = "80 ms"
frame_rate = "50 Hz"
gravity = "0 0 0 m/s2"
[domain]
lower = "-0.5 -0.5 -0.5 m"
upper = "0.5 0.5 0.5 m"
[obstacles.puller]
shape = { type = "sphere", centre = "0.2 0 0 m", radius = "2 mm" }
motion.keyframes = [{ time = 0 }, { time = "22 ms", position = "1 0 0 cm" }, { time = "44 ms" }]
[strands.drawn]
kind = "bundle"
vertices = 11
start = "0 0 0 m"
end = "0.2 0 0 m"
held = "pin"
pins = [{ vertex = -1, obstacle = "puller" }]
[strands.still]
kind = "bundle"
vertices = 11
start = "0 0 -5 cm"
end = "0.2 0 -0.05 m"
)";

TEST_F(Runs, EdgesThatWereStretchedAreToldWithTheirPlaceAlsoByAResumedRun)
{
    write_file_atomically(scene(), kDrawn);
    RunOptions first, second;
    first.frames = 3; // it is slack again
    second.resume = true;
    (void)run("parts", first);
    const std::string log = read_text(out("parts") / "log.txt");
    EXPECT_NE(log.find("step 5 at 0.005 s: edge "), std::string::npos) << log; // 4.4 ms make 1 %
    EXPECT_NE(log.find(" of strand 0 of drawn is stretched by 1.1 %; edges that are by more than they may be: 10\n"),
              std::string::npos)
        << log;
    (void)run("parts", second);
    const Json strands = *parse_json(read_text(out("parts") / "report.json")).find("strands");
    EXPECT_NEAR(strands.find("worst_strain")->number(), 0.05, 5e-5); // 1 cm in 20, by hand
    EXPECT_EQ(strands.find("stretched_edges")->number(), 10);
    EXPECT_LT(strands.find("largest_strain")->number(), 1e-3);
    const std::string both = read_text(out("parts") / "log.txt");
    EXPECT_EQ(both.find(" is stretched by", both.find(" is stretched by") + 1), std::string::npos) << both;   // once
    EXPECT_NE(both.rfind("by up to 5 %, at once 10 of them"), both.find("by up to 5 %, at once 10 of them")); // by both
    const CsvTable steps = read_csv(out("parts") / "steps.csv");
    std::int64_t n_stretched = 0;
    for (const double count : steps.numbers(steps.column("stretched_edges"))) n_stretched += count > 0 ? 1 : 0;
    EXPECT_EQ(n_stretched, 35); // of 80 of 1 ms: from the fifth to the 39th
}

TEST_F(Runs, FramesWithoutACheckpointAreNotThrownAwayByResuming)
{
    (void)run("a");
    std::filesystem::remove_all(out("a") / "checkpoints");
    RunOptions resumed;
    resumed.resume = true;
    EXPECT_THROW((void)run("a", resumed), InputError);
    EXPECT_TRUE(std::filesystem::exists(out("a") / "frames/000004.h5"));
}

TEST_F(Runs, ResumingTakesOverWhatMayChange)
{
    RunOptions first, second;
    first.frames = 1;
    second.resume = true;
    second.overrides = {"title=another"};
    (void)run("a", first);
    (void)run("a", second);
    EXPECT_NE(read_text(out("a") / "scene.toml").find("another"), std::string::npos);
}

TEST_F(Runs, AChangedMeshIsNamedOnResume)
{
    const char* tetrahedron = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    write_file_atomically(folder.path() / "a.obj", tetrahedron);
    write_file_atomically(scene(), std::string(test::kSmallScene) +
                                       "[obstacles.rock]\nshape = { type = \"mesh\", file = \"a.obj\" }\n");
    RunOptions first, second;
    first.frames = 1;
    second.resume = true;
    (void)run("a", first);
    write_file_atomically(folder.path() / "a.obj", std::string("v 0 0 0\nv .2 0 0\n") + (tetrahedron + 17));
    try {
        (void)run("a", second);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("obstacles.rock.shape.file: \"a.obj\" (content "), std::string::npos) << what;
    }
    // The folder has a copy: it can be looked at, and run again, without the original.
    std::filesystem::remove(folder.path() / "a.obj");
    EXPECT_EQ(read_text(out("a") / "inputs/0/a.obj"), tetrahedron);
    EXPECT_EQ(load_scene(out("a") / "scene.toml").model.obstacles.size(), 2U);
}

TEST_F(Runs, RowsBeyondTheCheckpointAreCutOnResume)
{
    (void)run("a");
    RunOptions two, rest;
    two.frames = 2;
    rest.resume = true;
    (void)run("b", two);
    for (const char* table :
         {"ledger.csv", "probes.csv", "steps.csv"}) // what a killed run leaves behind its checkpoint
        write_file_atomically(out("b") / table, read_text(out("b") / table) + "99,junk");
    (void)run("b", rest);
    for (const char* table : {"ledger.csv", "probes.csv", "steps.csv"})
        EXPECT_EQ(read_text(out("b") / table), read_text(out("a") / table)) << table;
}

TEST_F(Runs, ReportHasTheContractedMembers)
{
    (void)run("a");
    const Json report = parse_json(read_text(out("a") / "report.json"));
    for (const char* member :
         {"version", "scene", "threads", "steps", "frames", "sim_time_s", "wall_s", "cpu_s", "peak_rss_bytes",
          "counts.particles", "counts.strands", "counts.strand_vertices", "counts.triangles", "stages",
          "ledger.relative_error", "energy", "momentum", "state_hash", "exit"})
        EXPECT_NE(report.find(member), nullptr) << member;
    EXPECT_EQ(report.find("frames")->number(), 4); // 0.2 s at 20 Hz
    EXPECT_NEAR(report.find("sim_time_s")->number(), 0.2, 1e-12);
}

TEST_F(Runs, MissedExpectationIsExitThreeWithTheNumbers)
{
    RunOptions options;
    options.overrides = {"test.volume.value=1"};
    const RunOutcome outcome = run("a", options);
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_NE(outcome.failure.find("volume: measured 0.015"), std::string::npos) << outcome.failure;
}

TEST_F(Runs, ShortenedRunDoesNotJudge)
{
    RunOptions options;
    options.overrides = {"test.volume.value=1"};
    options.until = "60 ms"; // ends with frame 2, at 0.1 s
    const RunOutcome outcome = run("a", options);
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_NEAR(outcome.time, 0.1, 1e-12);
}

TEST_F(Runs, TooLittleMemoryIsRefusedBeforeAnythingIsWritten)
{
    RunOptions options;
    options.max_memory = 1e5;
    EXPECT_THROW((void)run("a", options), InputError);
    EXPECT_FALSE(std::filesystem::exists(out("a")));
}

TEST_F(Runs, ProgressComesWithEveryStepAndEndsAtTheLastFrame)
{
    std::int64_t calls = 0;
    Progress last;
    RunOptions options;
    options.progress = [&](const Progress& progress) {
        ++calls;
        last = progress;
    };
    const RunOutcome outcome = run("a", options);
    EXPECT_EQ(calls, outcome.step);
    EXPECT_EQ(last.frame, 4);
    EXPECT_TRUE(last.frame_completed);
    EXPECT_NEAR(last.remaining, 0, 1e-9);
}

} // namespace
} // namespace rivulet
