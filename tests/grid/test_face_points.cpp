#include "grid/face_points.h"

#include "base/rng.h"
#include "grid/transfer.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

std::vector<Vec3> scattered_points(int n)
{
    std::vector<Vec3> points;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i)
        points.push_back(3.0 * Vec3(random_unit(1, i, 0), random_unit(1, i, 1), random_unit(1, i, 2)));
    return points;
}

TEST(FacePoints, GiveToFacesExactlyWhatTheyHave)
{
    const std::vector<Vec3> points = scattered_points(500);
    const TileGrid grid = tiles_around(points, Vec3(-0.1, 0, 0.2), 0.13, 3);
    FacePoints faces;
    faces.place(grid, points);
    std::vector<Vec3> amount;
    Vec3 whole = Vec3::Zero();
    for (const Vec3& x : points) {
        amount.push_back(Vec3(1, -2, 3) + x);
        whole += amount.back();
    }
    std::array<std::vector<double>, 3> fields;
    for (auto& f : fields) f.assign(grid.field_size(), 0);
    faces.scatter(amount, fields);
    for (int a = 0; a < 3; ++a) {
        double sum = 0;
        for (const double value : fields[static_cast<std::size_t>(a)]) sum += value;
        EXPECT_NEAR(sum, whole[a], 1e-12 * whole.norm());
    }
}

TEST(FacePoints, ReadFacesAsParticlesDo)
{
    const std::vector<Vec3> points = scattered_points(100);
    const TileGrid grid = tiles_around(points, Vec3::Zero(), 0.2, 3);
    std::array<std::vector<double>, 3> fields;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t f = 0; f < grid.field_size(); ++f)
            fields[a].push_back(f + kTileCells < grid.field_size() ? random_unit(2, f, a) : 0);
    FacePoints faces;
    faces.place(grid, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        Vec3 u = Vec3::Zero();
        faces.for_faces(i, [&](int a, std::size_t f, double w) { u[a] += w * fields[static_cast<std::size_t>(a)][f]; });
        EXPECT_LT((u - interpolate_faces(grid, fields, points[i])).norm(), 1e-14);
    }
}

} // namespace
} // namespace rivulet
