#include "run/checkpoint.h"

#include "base/error.h"
#include "base/rng.h"
#include "io/atomic_file.h"
#include "run/resume.h"
#include "run/small_scene.h"
#include "sim/advance.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace rivulet {
namespace {

State stepped(const Model& model, int n_steps)
{
    State state = initial_state(model);
    Workspace workspace;
    for (int i = 0; i < n_steps; ++i) advance(model, state, workspace);
    return state;
}

/// Damage number i: bit flips, truncations, swapped blocks, zeroed blocks, bytes added.
std::vector<std::byte> damaged(std::vector<std::byte> bytes, std::uint64_t i)
{
    const std::size_t n = bytes.size();
    const auto pick = [&](std::uint64_t stream, std::size_t below) {
        return static_cast<std::size_t>(random_bits(7, stream, i) % below);
    };
    const std::size_t block = 1 + pick(0, n / 4), a = pick(1, n - 2 * block),
                      b = a + block + pick(2, n - a - 2 * block);
    switch (i % 5) {
    case 0:
        bytes[pick(3, n)] ^= std::byte{static_cast<unsigned char>(1 << pick(4, 8))};
        break;
    case 1:
        bytes.resize(pick(3, n));
        break;
    case 2:
        std::swap_ranges(bytes.begin() + a, bytes.begin() + a + block, bytes.begin() + b);
        break;
    case 3:
        std::fill_n(bytes.begin() + a, block, std::byte{0});
        break;
    default:
        bytes.insert(bytes.begin() + a, 1 + pick(4, 100), std::byte{0x41});
        break;
    }
    return bytes;
}

/// Plain and fast: a thousand of these need not reach the disk.
void overwrite(const std::filesystem::path& path, const std::vector<std::byte>& bytes)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

TEST(Checkpoint, RestoresEveryBit)
{
    const TemporaryFolder folder;
    const Scene scene = test::small_scene();
    const State state = stepped(scene.model, 5);
    write_checkpoint(folder.path() / "a.h5", scene, state, {{"ledger.csv", 123}});
    const CheckpointFile file(folder.path() / "a.h5");
    EXPECT_EQ(first_difference(file.restore(scene.model), state), "");
    EXPECT_EQ(file.step(), 5);
    EXPECT_EQ(file.covered(), (CoveredSizes{{"ledger.csv", 123}}));
    EXPECT_EQ(file.scene_text(), scene.resolved_toml);
}

TEST(Checkpoint, SameStateGivesTheSameFile)
{
    const TemporaryFolder folder;
    const Scene scene = test::small_scene();
    const State state = stepped(scene.model, 2);
    write_checkpoint(folder.path() / "a.h5", scene, state, {});
    write_checkpoint(folder.path() / "b.h5", scene, state, {});
    EXPECT_EQ(read_bytes(folder.path() / "a.h5"), read_bytes(folder.path() / "b.h5"));
}

TEST(Checkpoint, NoneOfAThousandDamagedFilesIsAccepted)
{
    const TemporaryFolder folder;
    const Scene scene = test::small_scene();
    const auto path = folder.path() / "a.h5";
    write_checkpoint(path, scene, stepped(scene.model, 3), {});
    const std::vector<std::byte> good = read_bytes(path);
    int changed = 0, refused = 0;
    for (std::uint64_t i = 0; changed < 1000; ++i) {
        const std::vector<std::byte> bad = damaged(good, i);
        if (bad == good) continue; // a block swapped with an equal one
        ++changed;
        overwrite(path, bad);
        try {
            (void)CheckpointFile(path).restore(scene.model);
        } catch (const IoError& error) {
            refused += std::string(error.what()).find(path.string()) != std::string::npos;
        }
    }
    EXPECT_EQ(refused, 1000);
}

TEST(Checkpoint, ChangedSceneIsRefusedWithTheDifferenceNamed)
{
    const TemporaryFolder folder;
    const Scene scene = test::small_scene();
    write_checkpoint(folder.path() / "a.h5", scene, initial_state(scene.model), {});
    const CheckpointFile file(folder.path() / "a.h5");
    EXPECT_NO_THROW(require_same_scene(file, scene));
    try {
        require_same_scene(file, test::small_scene({"simulation.cell_size=0.04"}));
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("simulation.cell_size"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("0.04"), std::string::npos) << error.what();
    }
}

TEST(Checkpoint, ForeignHdf5ContentIsRefused)
{
    const TemporaryFolder folder;
    const Scene scene = test::small_scene();
    Hdf5Writer writer;
    writer.attribute("/", "kind", "frame");
    writer.save(folder.path() / "a.h5");
    EXPECT_THROW(CheckpointFile(folder.path() / "a.h5"), IoError);
}

class ResumePoints : public testing::Test {
protected:
    void SetUp() override
    {
        folder.create(false);
        for (int step : {4, 8, 12}) {
            const State state = stepped(scene.model, step);
            write_checkpoint(folder.checkpoint(step), scene, state, {});
        }
    }
    TemporaryFolder temporary;
    RunFolder folder{temporary.path() / "run"};
    Scene scene = test::small_scene();
    std::vector<std::string> messages;
    std::optional<ResumePoint> find()
    {
        return find_resume_point(folder, scene, [this](std::string_view line) { messages.emplace_back(line); });
    }
};

TEST_F(ResumePoints, LastTwoAreKept)
{
    drop_old_checkpoints(folder);
    EXPECT_EQ(folder.checkpoints(), (std::vector<std::int64_t>{8, 12}));
}

TEST_F(ResumePoints, DamagedLastOneGivesWayToThePreviousOneWithTheReason)
{
    std::filesystem::resize_file(folder.checkpoint(12), 5000);
    const auto point = find();
    ASSERT_TRUE(point);
    EXPECT_EQ(point->state.clock.step, 8);
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_NE(messages[0].find("000012.h5: truncated"), std::string::npos) << messages[0];
    EXPECT_EQ(folder.checkpoints(), (std::vector<std::int64_t>{4, 8})); // the damaged one no longer counts
    EXPECT_TRUE(std::filesystem::exists(folder.checkpoint(12).string() + ".damaged"));
}

TEST_F(ResumePoints, AllDamagedIsAnErrorThatTouchesNothing)
{
    for (int step : {4, 8, 12}) std::filesystem::resize_file(folder.checkpoint(step), 5000);
    EXPECT_THROW((void)find(), IoError);
    EXPECT_EQ(folder.checkpoints().size(), 3u);
}

} // namespace
} // namespace rivulet
