#pragma once

#include "base/rng.h"
#include "base/vec.h"
#include "strands/rod_system.h"

namespace rivulet {

/// Numbers in [-1, 1] of one stream.
class RandomLanes {
public:
    explicit RandomLanes(std::uint64_t stream) : stream_(stream) {}
    double next() { return 2 * random_unit(17, stream_, counter_++) - 1; }
    Lane lane()
    {
        Lane v{};
        for (int i = 0; i < kStrandLanes; ++i) v[i] = next();
        return v;
    }
    LaneVec3 vector() { return {lane(), lane(), lane()}; }

private:
    std::uint64_t stream_;
    std::uint64_t counter_ = 0;
};

inline LaneVec3 unit(const LaneVec3& v) { return (1.0 / norm(v)) * v; }

/// Four strands of n vertices, of the size of one, bent and twisted at random, with random rest shapes.
inline RodSystem random_rods(int n, std::uint64_t stream)
{
    RandomLanes random(stream);
    RodSystem s(n);
    s.h = 0.1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        s.mass[k] = 1.0 + 0.5 * random.lane();
        s.inertia[k] = 0.3 + 0.1 * random.lane();
        s.predicted[k] = 0.05 * random.vector();
        s.predicted_spin[k] = 0.1 * random.lane();
        s.free[k] = s.free_spin[k] = spread(1.0);
        s.edge[k] = LaneVec3{spread(1.0), Lane{}, Lane{}} + 0.6 * random.vector();
        s.director[k] = unit(cross(s.edge[k], random.vector()));
        s.twist[k] = 0.5 * random.lane();
        s.stretch[k] = {2.0 + random.lane(), 1.0 + 0.2 * random.lane(), 0.1 * random.lane()};
        s.bend[k].twist_weight = 1.0 + 0.5 * random.lane();
        s.bend[k].twist_rest = random.lane();
        for (Lane& w : s.bend[k].weight) w = 1.0 + 0.5 * random.lane();
        for (Lane& r : s.bend[k].rest) r = random.lane();
        s.push[k] = random.vector();
        const LaneVec3 d = random.vector();
        s.drag[k] = {{1.0 + d.x * d.x, d.x * d.y, d.x * d.z, 1.0 + d.y * d.y, d.y * d.z, 1.0 + d.z * d.z}};
    }
    s.predicted_spin[static_cast<std::size_t>(n - 1)] = Lane{};
    s.prepare();
    return s;
}

/// The configuration at the start of the step.
inline RodConfiguration at_start(const RodSystem& s)
{
    RodConfiguration c;
    c.resize(s.n);
    configure(s, c);
    return c;
}

/// A configuration some way into the step: edges swung and frames spun.
inline RodConfiguration away_from_start(const RodSystem& s)
{
    RodConfiguration c = at_start(s);
    RandomLanes random(99);
    for (std::size_t k = 0; k < c.u.size(); ++k) {
        c.u[k] = 0.3 * random.vector();
        c.spin[k] = 0.4 * random.lane();
    }
    configure(s, c);
    return c;
}

/// `base` with dof i (order of rod_system.h) changed by `amount`; frames go on from those of `base` without spin.
inline RodConfiguration nudged(const RodSystem& s, const RodConfiguration& base, int i, double amount)
{
    RodConfiguration c = base;
    const auto k = static_cast<std::size_t>(i / 4);
    Lane* target = i % 4 == 3 ? &c.spin[k] : i % 4 == 0 ? &c.u[k].x : i % 4 == 1 ? &c.u[k].y : &c.u[k].z;
    *target += amount;
    configure(s, c);
    for (std::size_t e = 0; e + 1 < c.edge.size(); ++e)
        c.spin[e] += turn_on_the_way(s.tangent[e], base.edge[e].tangent, c.edge[e].tangent);
    configure(s, c);
    return c;
}

} // namespace rivulet
