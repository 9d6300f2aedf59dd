#include "io/vdb_writer.h"

#include "base/error.h"
#include "io/atomic_file.h"
#include "temporary_folder.h"

#include <openvdb/openvdb.h>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>

namespace rivulet {
namespace {

class Vdb : public testing::Test {
protected:
    template <class Grid>
    typename Grid::Ptr read(const std::string& name)
    {
        openvdb::io::File file((folder_.path() / "a.vdb").string());
        file.open();
        metadata_ = file.getMetadata();
        return openvdb::gridPtrCast<Grid>(file.readGrid(name));
    }
    TemporaryFolder folder_;
    openvdb::MetaMap::Ptr metadata_;
};

/// Box from 0 to 1, counter-clockwise seen from outside.
const std::vector<Vec3> kCorners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
const std::vector<std::array<std::int32_t, 3>> kFaces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                                         {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                                         {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

TEST_F(Vdb, LevelSetOfABoxIsItsDistance)
{
    VdbWriter writer;
    writer.add_level_set("surface", kCorners, kFaces, 0.1);
    writer.write(folder_.path() / "a.vdb");
    const auto grid = read<openvdb::FloatGrid>("surface");
    EXPECT_EQ(grid->getGridClass(), openvdb::GRID_LEVEL_SET);
    const auto voxels = grid->getConstAccessor();
    EXPECT_NEAR(voxels.getValue({5, 5, 12}), 0.2, 1e-5); // at (0.5, 0.5, 1.2)
    EXPECT_NEAR(voxels.getValue({5, 5, 9}), -0.1, 1e-5);
    EXPECT_NEAR(voxels.getValue({5, 5, 5}), -0.3, 1e-5); // beyond the band: its half width
}

TEST_F(Vdb, SameGridsAreTheSameBytesAndOthersHaveAnotherIdentity)
{
    const auto written = [&](double volume) {
        VdbWriter writer;
        writer.add_level_set("surface", kCorners, kFaces, 0.1);
        writer.add_density("density", std::vector<Vec3>{{0.5, 0.5, 0.5}}, std::vector<double>{volume}, 0.1);
        writer.write(folder_.path() / "a.vdb");
        return read_text(folder_.path() / "a.vdb");
    };
    const std::string once = written(1), again = written(1), other = written(2);
    EXPECT_EQ(once, again);
    EXPECT_NE(once.substr(21, 36), other.substr(21, 36));
    openvdb::io::File file((folder_.path() / "a.vdb").string());
    file.open();
    EXPECT_EQ(file.getUniqueTag(), other.substr(21, 36));
    EXPECT_NE(read<openvdb::FloatGrid>("surface"), nullptr);
}

TEST_F(Vdb, DensityHoldsTheVolumeOfTheParticles)
{
    const std::vector<Vec3> positions{{0.01, 0.02, 0.03}, {0.5, 0.5, 0.5}, {-0.33, 0.1, 0.77}};
    const std::vector<double> volumes{1e-3, 2e-3, 4e-3};
    VdbWriter writer;
    writer.add_density("density", positions, volumes, 0.1);
    writer.write(folder_.path() / "a.vdb");
    const auto grid = read<openvdb::FloatGrid>("density");
    double sum = 0;
    for (auto it = grid->cbeginValueOn(); it; ++it) sum += double(*it);
    EXPECT_NEAR(sum * 1e-3, 7e-3, 1e-9);
    // On a voxel's centre all of it is in that voxel: 2e-3 m3 in 1e-3 m3.
    EXPECT_NEAR(grid->getConstAccessor().getValue({5, 5, 5}), 2.0, 1e-6);
    EXPECT_NEAR(grid->voxelSize().x(), 0.1, 1e-12);
}

TEST_F(Vdb, VelocityIsTheMeanOfTheParticles)
{
    const std::vector<Vec3> positions{{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.52, 0.47, 0.9}};
    const std::vector<Vec3> velocities{{1, 0, 0}, {0, 4, 0}, {7, 8, 9}};
    const std::vector<double> volumes{3e-3, 1e-3, 1e-3};
    VdbWriter writer;
    writer.add_velocity("velocity", positions, volumes, velocities, 0.1);
    writer.write(folder_.path() / "a.vdb");
    const auto grid = read<openvdb::Vec3SGrid>("velocity");
    const openvdb::Vec3s mean = grid->getConstAccessor().getValue({5, 5, 5});
    EXPECT_NEAR(mean.x(), 0.75, 1e-6);
    EXPECT_NEAR(mean.y(), 1.0, 1e-6);
    // One particle alone gives its velocity to every voxel it reaches.
    EXPECT_NEAR(grid->getConstAccessor().getValue({6, 4, 9}).z(), 9, 1e-5);
}

TEST_F(Vdb, MetadataAndNamesAreKept)
{
    VdbWriter writer;
    writer.set_metadata("scene", "dam break");
    writer.set_metadata("time_s", 1.25);
    writer.add_density("a", {}, {}, 0.1);
    writer.add_density("b", {}, {}, 0.1);
    writer.write(folder_.path() / "a.vdb");
    EXPECT_TRUE(read<openvdb::FloatGrid>("b"));
    EXPECT_EQ(metadata_->metaValue<std::string>("scene"), "dam break");
    EXPECT_EQ(metadata_->metaValue<double>("time_s"), 1.25);
}

TEST_F(Vdb, AFullDiskIsAnError)
{
    VdbWriter writer;
    writer.add_density("a", {}, {}, 0.1);
    struct rlimit before = {}, small = {};
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 16;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(writer.write(folder_.path() / "a.vdb"), IoError);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Vdb, AFolderThatIsNotThereIsNamed)
{
    VdbWriter writer;
    writer.add_density("a", {}, {}, 0.1);
    const std::filesystem::path path = folder_.path() / "missing" / "a.vdb";
    try {
        writer.write(path);
        FAIL() << "no error";
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

} // namespace
} // namespace rivulet
