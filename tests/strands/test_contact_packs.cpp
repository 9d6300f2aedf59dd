#include "strands/contact_packs.h"

#include "strands/touching.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

/// Strands side by side along x, `gap` apart.
Strands row_of_strands(int n, double gap)
{
    Strands s;
    s.model.materials = {human_hair()};
    for (int k = 0; k < n; ++k) {
        const double y = k * (70e-6 + gap);
        add_strand(s.model, s.state, line({0, y, 0}, {0.01, y, 0}, 10), 0, Vec3::UnitZ());
    }
    group_strands(s.model);
    return s;
}

std::vector<NearEdges> near_of(const Strands& s)
{
    const StrandEdges edges(s.model);
    const StrandMotion motion{s.state.position, s.state.position, {}};
    EdgePairs pairs;
    EXPECT_TRUE(find_contacts(edges, motion, {}, pairs).empty());
    return near_edges(edges, motion, pairs);
}

/// A blow of 35 um closes three gaps of 10 um, and no fourth.
TEST(ContactPacks, ABlowGoesAsFarAsItsDepthClosesGaps)
{
    const Strands s = row_of_strands(8, 10e-6);
    const StrandContact struck{.a = 5, .b = -1};
    const std::vector<NearEdges> next = struck_next(s.model, near_of(s), std::vector{struck}, std::vector{35e-6}, 1e-9);
    std::int32_t furthest = 0;
    for (const NearEdges& c : next) furthest = std::max(furthest, std::max(c.a, c.b) / 11);
    EXPECT_EQ(furthest, 3);
    EXPECT_TRUE(std::is_sorted(next.begin(), next.end(), [](const NearEdges& x, const NearEdges& y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    }));
}

/// Along the strand 0.7 of it comes to the next edge: 3.5, 2.45, 1.7, 1.2, 0.84 times the gap, and no further.
TEST(ContactPacks, ABlowFadesAlongTheStrand)
{
    const Strands s = row_of_strands(2, 10e-6);
    const StrandContact struck{.a = 0, .b = -1};
    const std::vector<NearEdges> next =
        struck_next(s.model, near_of(s), std::vector{struck}, std::vector{35e-6}, 10e-6);
    std::int32_t furthest = 0;
    for (const NearEdges& c : next) furthest = std::max(furthest, c.a);
    EXPECT_EQ(furthest, 3);
}

/// Of a force of 3 N that answers with 3 mm and leaves the pair 2 mm apart, a third is needed; of one that leaves it
/// closed, all; and what is not in the same pack does not matter.
TEST(ContactPacks, OnlyWhatClosesTheGapIsNeededOfAForce)
{
    const Strands s = row_of_strands(4, 0);
    const std::vector<StrandContact> contacts{
        {.a = 0, .b = 11, .normal = Vec3::UnitY(), .gap = 0, .force = {0, 3, 0}},
        {.a = 22, .b = 33, .normal = Vec3::UnitY(), .gap = 1e-3, .force = {0, 1, 0}}};
    const std::vector<Vec3> motion{{0, 2e-3, 0}, {0, -1e-3, 0}}, answer{{0, 3e-3, 0}, {0, 4e-3, 0}};
    const std::vector<double> part = needed_part(s.model, contacts, motion, answer);
    EXPECT_NEAR(part[0], 1.0 / 3, 1e-14);
    EXPECT_NEAR(part[1], 1, 1e-14);
}

TEST(ContactPacks, PacksAreWhatHangsTogether)
{
    const Strands s = row_of_strands(5, 0);
    ContactPacks packs(s.model);
    packs.join(
        std::vector<StrandContact>{{.a = 40, .b = 30}, {.a = 12, .b = 50}, {.a = 5, .b = -1}, {.a = 24, .b = 41}});
    EXPECT_EQ(packs.of_vertex(43), 2);
    EXPECT_EQ(packs.of_vertex(26), 2);
    EXPECT_EQ(packs.of_vertex(45), 1);
    EXPECT_EQ(packs.of_vertex(0), 0);
}

/// Strands 0 and 1, which touch, move by 1 and 3 mm; strand 2 by itself by 5 mm.
TEST(ContactPacks, TheMeanOfAPackIsThatOfItsVertices)
{
    const Strands s = row_of_strands(3, 0);
    std::vector<Vec3> displacement(33);
    for (std::size_t v = 0; v < 33; ++v) displacement[v] = {1e-3 + 2e-3 * static_cast<double>(v / 11), 0, 0};
    const std::vector<Vec3> mean =
        mean_of_packs(s.model, std::vector<StrandContact>{{.a = 4, .b = 15}, {.a = 25, .b = -1}}, displacement);
    ASSERT_EQ(mean.size(), 3U);
    EXPECT_NEAR(mean[0].x(), 2e-3, 1e-17);
    EXPECT_EQ(mean[1], mean[0]);
    EXPECT_NEAR(mean[2].x(), 5e-3, 1e-17);
}

/// Bridges between strands 0 and 2 (twice) and from strand 1 to obstacle 2; one of strand 0 with itself under water.
TEST(ContactPacks, BridgesInTheAirDrawStrandsTogether)
{
    const Strands s = row_of_strands(3, 0);
    const BridgeLinks links{.a = {3, 5, 14, 7}, .b = {24, 30, -1 - 3 * 2, 1}, .force = {0, 0, 0, 0}};
    std::vector<double> in_air(33, 1.0);
    in_air[7] = in_air[8] = 0;
    const BridgeInput input{.film_area = {}, .in_air = in_air, .links = &links};
    const StrandEdges edges(s.model);
    EXPECT_EQ(drawn_together(edges, &input), (std::vector<StrandPair>{{0, 2}, {1, -3}}));
    EXPECT_TRUE(drawn_together(edges, nullptr).empty());
    // Nothing draws together what no pair is named for, a strand with itself included.
    const std::vector<StrandPair> drawn{{0, 0}};
    const StrandMotion motion{.start = {}, .end = {}, .hold = {}, .parting = 1e-5, .drawn = drawn};
    EXPECT_EQ(gap_to_close(-1e-4, 1e-4, {0, 0}, motion), -1e-5);
    EXPECT_NEAR(gap_to_close(-1e-4, 1e-4, kNoPair, motion), -0.03e-4, 1e-18);
}

/// A step that leaves contacts unbearable is better than none, and one that misses some better than that.
TEST(ContactPacks, TheBetterOfTwoAttemptsIsTheOneThatLeavesLess)
{
    ContactUpdate good, missed, unbearable, thrown;
    missed.n_missed = 9;
    unbearable.n_unbearable = 1;
    // The reason is told, not what is left of forces that were found.
    unbearable.residual = 2.5e-7;
    EXPECT_NE(flaw_of(unbearable).find("2.5e-07 m are left"), std::string::npos);
    unbearable.flaw = ContactFlaw::Solids;
    unbearable.flaw_size = 3e-4;
    EXPECT_EQ(flaw_of(unbearable), "edges in obstacles: 1, up to 0.0003 m deep");
    unbearable.flaw = ContactFlaw::Through;
    EXPECT_EQ(flaw_of(unbearable), "edges that go through each other: 1");
    thrown.thrown = 0;
    const ContactUpdate* order[] = {&good, &missed, &unbearable, &thrown};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) EXPECT_EQ(is_worse(*order[i], *order[j]), i > j) << i << j;
}

} // namespace
} // namespace rivulet
