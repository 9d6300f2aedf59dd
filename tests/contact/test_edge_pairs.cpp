#include "contact/edge_pairs.h"

#include "base/parallel.h"
#include "geometry/segments.h"
#include "random_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rivulet {
namespace {

/// Chains of 8 edges that wander about, some faster than others.
class Crowd {
public:
    explicit Crowd(int n_chains, const Vec3& centre = Vec3::Zero()) : random_(11)
    {
        for (int c = 0; c < n_chains; ++c) {
            Vec3 x = centre + vector();
            for (int k = 0; k <= 8; ++k) {
                if (k < 8) {
                    vertex_.push_back(static_cast<std::int32_t>(start_.size()));
                    chain_.push_back(c);
                    radius_.push_back(0.01);
                }
                start_.push_back(x);
                x += 0.15 * vector();
            }
        }
        end_ = start_;
    }

    void move(double way)
    {
        start_ = end_;
        for (std::size_t v = 0; v < end_.size(); ++v) end_[v] += (v % 3 == 0 ? 1.0 : 0.01) * way * vector();
    }
    [[nodiscard]] MovingEdges edges() const { return {vertex_, chain_, radius_, start_, end_}; }

    [[nodiscard]] bool touches(std::size_t e, std::size_t f) const
    {
        const auto at = [&](const std::vector<Vec3>& x, std::size_t i) {
            const auto v = static_cast<std::size_t>(vertex_[i]);
            return Segment{x[v], x[v + 1]};
        };
        return first_touch(at(start_, e), at(end_, e), at(start_, f), at(end_, f), 0.02).has_value();
    }
    [[nodiscard]] bool are_neighbours(std::size_t e, std::size_t f) const
    {
        return chain_[e] == chain_[f] && f - e < static_cast<std::size_t>(kChainNeighbours);
    }

private:
    Vec3 vector() { return random_.vector(); }

    RandomNumbers random_;
    std::vector<std::int32_t> vertex_, chain_;
    std::vector<double> radius_;
    std::vector<Vec3> start_, end_;
};

/// How many edges were looked for in 30 steps.
std::int64_t expect_no_touch_is_missed(Crowd crowd)
{
    EdgePairs pairs;
    std::int64_t n_touches = 0, n_searched = 0;
    for (int step = 0; step < 30; ++step) {
        crowd.move(step < 10 ? 0.3 : 0.004); // fast, then slow
        pairs.update(crowd.edges(), 0.02);
        n_searched += pairs.n_searched();
        const auto list = pairs.pairs();
        EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
        EXPECT_EQ(std::adjacent_find(list.begin(), list.end()), list.end());
        for (std::size_t e = 0; e < 320; ++e)
            for (std::size_t f = e + 1; f < 320; ++f) {
                if (crowd.are_neighbours(e, f) || !crowd.touches(e, f)) continue;
                ++n_touches;
                EXPECT_TRUE(std::binary_search(list.begin(), list.end(),
                                               EdgePair{static_cast<std::int32_t>(e), static_cast<std::int32_t>(f)}));
            }
    }
    EXPECT_GT(n_touches, 500);
    return n_searched;
}

TEST(EdgePairs, NoTouchIsMissedWhileTheyWanderAbout)
{
    // What did not move was not looked for again.
    EXPECT_LT(expect_no_touch_is_missed(Crowd(40)), 30 * 320 * 3 / 4);
}

/// Ways are remembered in single precision, whose digits lie 0.002 apart at the first of these places and 0.008 apart
/// at the second, which is more than edges may move by without being looked for again.
TEST(EdgePairs, NoTouchIsMissedWhereFewDigitsAreLeft)
{
    EXPECT_LE(expect_no_touch_is_missed(Crowd(40, Vec3(2e4, 2e4, -2e4))), 30 * 320);
    EXPECT_EQ(expect_no_touch_is_missed(Crowd(40, Vec3(1e5, 1e5, -1e5))), 30 * 320);
}

TEST(EdgePairs, SamePairsOnAnyNumberOfThreads)
{
    const auto pairs_on = [](int n_threads) {
        return with_threads(n_threads, [](int) {
            Crowd crowd(150);
            EdgePairs pairs;
            for (int step = 0; step < 4; ++step) {
                crowd.move(0.1);
                pairs.update(crowd.edges(), 0.02);
            }
            return std::vector<EdgePair>(pairs.pairs().begin(), pairs.pairs().end());
        });
    };
    const auto one = pairs_on(1);
    for (const int n : {2, 3, 8}) EXPECT_EQ(one, pairs_on(n));
}

} // namespace
} // namespace rivulet
