#include "run/frame.h"

#include "base/error.h"
#include "io/temporary_folder.h"
#include "run/small_scene.h"
#include "sim/advance.h"

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

TEST(Frame, RefusesWhatIsNotAFrame)
{
    const TemporaryFolder folder;
    EXPECT_THROW((void)read_frame(folder.path() / "none.h5"), IoError);
}

} // namespace
} // namespace rivulet
