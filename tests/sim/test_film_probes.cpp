#include "sim/advance.h"
#include "sim/diagnostics.h"
#include "sim/film_thickness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <optional>

namespace rivulet {
namespace {

TEST(FilmProbes, TellWhatStrandsHaveCaughtAndShed)
{
    Model model;
    model.liquids = {{.name = "oil"}, {.name = "water"}};
    State state;
    state.ledger = Ledger(2);
    state.ledger.caught[0].add(1e-9);
    state.ledger.caught[1].add(2e-9);
    state.ledger.shed[1].add(5e-10);
    state.ledger.shed[1].add(1e-10);
    const auto value = [&](ProbeKind kind, const char* liquid) {
        Probe probe;
        probe.kind = kind;
        probe.object = liquid;
        EXPECT_EQ(probe_unit(probe), "m3");
        EXPECT_EQ(probe_columns(probe).size(), 1u);
        return sample_probe(model, state, probe).at(0);
    };
    EXPECT_DOUBLE_EQ(value(ProbeKind::CaughtVolume, ""), 3e-9);
    EXPECT_DOUBLE_EQ(value(ProbeKind::CaughtVolume, "water"), 2e-9);
    EXPECT_DOUBLE_EQ(value(ProbeKind::ShedVolume, "water"), 6e-10);
    EXPECT_EQ(value(ProbeKind::ShedVolume, "oil"), 0);
}

/// Four strands of four vertices: the first two joined near their roots, the second and third at their tips, the fourth
/// only to an obstacle.
TEST(FilmProbes, ClustersAreThoseOfAllBridgesOrOfThoseAtOneVertex)
{
    Model model;
    model.strands.first = {0, 4, 8, 12, 16};
    model.strands.material = {0, 0, 0, 0};
    model.strand_groups = {{"hair", 0, 4}};
    State state;
    state.strands.position.resize(16);
    state.bridges = {{0, 6, 13}, {5, 10, -1}, {0, 0, 0}};
    const auto clusters = [&](std::optional<int> vertex, ProbeKind kind = ProbeKind::Clusters) {
        Probe probe;
        probe.kind = kind;
        probe.object = "hair";
        probe.is_local = vertex.has_value();
        if (vertex) probe.vertex = *vertex;
        return sample_probe(model, state, probe).at(0);
    };
    EXPECT_EQ(clusters({}), 2);
    EXPECT_EQ(clusters(0), 3); // vertices 0 and 1 of the first, 1 and 2 of the second
    EXPECT_EQ(clusters(1), 3);
    EXPECT_EQ(clusters(2), 2); // the other two reach from vertex 2 to 3
    EXPECT_EQ(clusters(3), 3);
    EXPECT_EQ(clusters(-1), 3);
    EXPECT_EQ(clusters(-4), 3);
    EXPECT_EQ(clusters({}, ProbeKind::LargestCluster), 3); // 3 and 1
    EXPECT_EQ(clusters({}, ProbeKind::MeanCluster), 2);
    EXPECT_EQ(clusters(0, ProbeKind::LargestCluster), 2); // 2, 1 and 1
    EXPECT_DOUBLE_EQ(clusters(0, ProbeKind::MeanCluster), 4.0 / 3);
    Probe bridges;
    bridges.kind = ProbeKind::Bridges;
    bridges.object = "hair";
    EXPECT_EQ(sample_probe(model, state, bridges).at(0), 3);
    model.strand_groups = {{"hair", 0, 2}, {"third", 2, 1}, {"last", 3, 1}}; // bridges join groups: both count them
    EXPECT_EQ(sample_probe(model, state, bridges).at(0), 2);
    bridges.object = "third";
    EXPECT_EQ(sample_probe(model, state, bridges).at(0), 1);
    bridges.object = "hair";
    model.strand_groups = {{"hair", 0, 4}};
    state.immersion.exposure.assign(16, 1.0);
    std::fill_n(state.immersion.exposure.begin(), 8, 0.0); // the first two are under water
    EXPECT_EQ(clusters({}), 4);
    EXPECT_EQ(sample_probe(model, state, bridges).at(0), 1);
}

/// Of two groups, each with a strand that drips; frames every 20 ms.
TEST(FilmProbes, SheddingIsCountedByGroupsAndItsRateByFrames)
{
    Model model;
    model.options.frame_interval = 0.02;
    model.strands.first = {0, 2, 4, 6};
    model.strands.material = {0, 0, 0};
    model.strand_groups = {{"a", 0, 2}, {"b", 2, 1}};
    State state;
    state.strands.position.resize(6);
    state.film.volume.assign(6, 0.0);
    state.film.shed = {1e-9, 3e-9, 7e-9};
    state.film.shed_before = {1e-9, 1e-9, 0};
    state.clock.frame = 5;
    const auto value = [&](ProbeKind kind, const char* group, double time) {
        state.clock.time = time;
        Probe probe;
        probe.kind = kind;
        probe.object = group;
        return sample_probe(model, state, probe).at(0);
    };
    EXPECT_DOUBLE_EQ(value(ProbeKind::FilmShed, "a", 0.1), 4e-9);
    EXPECT_DOUBLE_EQ(value(ProbeKind::FilmShed, "b", 0.1), 7e-9);
    EXPECT_DOUBLE_EQ(value(ProbeKind::FilmShedRate, "a", 0.1), 1e-7); // of the 20 ms before frame 5
    EXPECT_NEAR(value(ProbeKind::FilmShedRate, "a", 0.105), 4e-7, 1e-18);
    EXPECT_NEAR(value(ProbeKind::FilmShedRate, "b", 0.105), 1.4e-6, 1e-17);
}

TEST(FilmProbes, ThicknessIsThatOfARingOfTheVolume)
{
    Model model;
    model.strands.first = {0, 3};
    model.strands.material = {0};
    model.strands.materials.resize(1);
    model.strands.materials[0].radius_a = 2e-4;
    model.strands.materials[0].radius_b = 0.5e-4; // a section as large as that of a round one of 0.1 mm
    State state;
    state.strands.position = {Vec3(0, 0, 0), Vec3(1e-3, 0, 0), Vec3(1e-3, 2e-3, 0)};
    EXPECT_EQ(film_thicknesses(model, state), std::vector<double>(3, 0.0));
    const double area = std::numbers::pi * (9e-8 - 1e-8); // out to 0.3 mm
    state.film.volume = {0.5e-3 * area, 0, 1e-3 * area};
    const std::vector<double> thickness = film_thicknesses(model, state);
    EXPECT_NEAR(thickness[0], 2e-4, 1e-17);
    EXPECT_EQ(thickness[1], 0);
    EXPECT_NEAR(thickness[2], 2e-4, 1e-17);
}

} // namespace
} // namespace rivulet
