#include "run/frame.h"

#include "base/error.h"
#include "run/small_scene.h"
#include "sim/advance.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

TEST(Frame, HoldsTheStateInSinglePrecision)
{
    const TemporaryFolder folder;
    const Scene scene = test::small_scene();
    const State state = initial_state(scene.model);
    write_frame(folder.path() / "000000.h5", scene.model, state);
    const Frame frame = read_frame(folder.path() / "000000.h5");
    ASSERT_EQ(frame.position.size(), state.liquid.position.size());
    double total = 0;
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
        EXPECT_LE((frame.position[i] - state.liquid.position[i]).cwiseAbs().maxCoeff(),
                  0.5 * 0x1p-24); // half an ulp below 0.5 m
        EXPECT_EQ(frame.id[i], state.liquid.id[i]);
        total += frame.volume[i];
    }
    EXPECT_NEAR(total, 0.25 * 0.3 * 0.2, 1e-8); // the box of the scene
    EXPECT_EQ(frame.body_names, std::vector<std::string>{"post"});
    EXPECT_EQ(frame.liquid_names, std::vector<std::string>{"water"});
}

TEST(Frame, HoldsTheLiquidOnStrands)
{
    const TemporaryFolder folder;
    const Scene scene = test::small_scene({"wetting.liquid=water", "strands.reeds.film.thickness=20 um",
                                           "strands.reeds.film.from=0.4", "strands.reeds.film.to=0.6"});
    State state = initial_state(scene.model);
    state.film.pool[2] = 3e-9;
    state.bridges = {{1, 6}, {6, -4}, {0, 0}};
    write_frame(folder.path() / "000000.h5", scene.model, state);
    const Frame frame = read_frame(folder.path() / "000000.h5");
    ASSERT_EQ(frame.film_thickness.size(), 25u); // five reeds of five vertices
    for (std::size_t v = 0; v < 25; ++v) EXPECT_NEAR(frame.film_thickness[v], v % 5 == 2 ? 20e-6 : 0, 1e-11) << v;
    EXPECT_EQ(frame.pool, (std::vector<double>{0, 0, static_cast<double>(3e-9f), 0, 0}));
    EXPECT_EQ(frame.bridge_a, state.bridges.a);
    EXPECT_EQ(frame.bridge_b, state.bridges.b);
}

TEST(Frame, HoldsZerosWhereStrandsStayDry)
{
    const TemporaryFolder folder;
    const Scene scene = test::small_scene();
    write_frame(folder.path() / "000000.h5", scene.model, initial_state(scene.model));
    const Frame frame = read_frame(folder.path() / "000000.h5");
    EXPECT_EQ(frame.film_thickness, std::vector<double>(25, 0.0));
    EXPECT_EQ(frame.pool, std::vector<double>(5, 0.0));
}

TEST(Frame, RefusesWhatIsNotAFrame)
{
    const TemporaryFolder folder;
    EXPECT_THROW((void)read_frame(folder.path() / "none.h5"), IoError);
}

} // namespace
} // namespace rivulet
