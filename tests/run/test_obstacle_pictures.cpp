#include "geometry/mesh_topology.h"
#include "geometry/shapes.h"
#include "run/picture.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

// Planes were left out of pictures without a word: water on a beach hung in the air.
TEST(ObstaclePictures, PlanesAreDrawnWithinTheDomain)
{
    Scene scene;
    scene.model.options.cell_size = 0.01;
    scene.model.domain.box = {Vec3::Zero(), {0.4, 0.1, 0.2}};
    Obstacle beach;
    beach.shape = make_plane({0.1, 0, 0}, {-0.5, 0, 1}); // rises from x = 0.1 to z = 0.15 at the far wall
    scene.model.obstacles.push_back(beach);
    Obstacle ground;
    ground.shape = make_plane({0, 0, 0}, {0, 0, 1}); // the domain's floor, which pictures have anyway
    scene.model.obstacles.push_back(ground);
    const TriangleMesh wedge = obstacle_mesh(scene, 0);
    EXPECT_NEAR(enclosed_volume(wedge), 0.3 * 0.15 / 2 * 0.1, 1e-12);
    scene.model.obstacles[0].shape =
        make_union({beach.shape, make_sphere({0, 0, 0.1}, 0.05)}); // a quarter of it within
    EXPECT_NEAR(enclosed_volume(obstacle_mesh(scene, 0)), 0.3 * 0.15 / 2 * 0.1 + 1.309e-4, 3e-5);
    for (const Vec3& x : wedge.vertices) EXPECT_TRUE(scene.model.domain.box.dilated(1e-6).contains(x)) << x;
    EXPECT_TRUE(obstacle_mesh(scene, 1).triangles.empty());
    Frame frame;
    frame.strand_first = {0}; // no strands
    EXPECT_EQ(picture_scene(scene, frame).meshes.size(), 1);
}

} // namespace
} // namespace rivulet
