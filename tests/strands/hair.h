#pragma once

#include "strands/strands.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace rivulet {

/// Human hair: E 3.9 GPa, radius 35 um.
inline RodMaterial human_hair()
{
    return {.density = 1300, .youngs_modulus = 3.9e9, .shear_modulus = 1.4e9, .radius_a = 35e-6, .radius_b = 35e-6};
}

struct Strands {
    StrandModel model;
    StrandState state;
};

inline std::vector<Vec3> straight_line(int n_edges, double length, const Vec3& direction)
{
    std::vector<Vec3> points;
    for (int k = 0; k <= n_edges; ++k) points.emplace_back(length * k / n_edges * direction);
    return points;
}

/// A helix along x.
inline std::vector<Vec3> helix(int n_edges, double length, double radius, double pitch)
{
    std::vector<Vec3> points;
    for (int k = 0; k <= n_edges; ++k) {
        const double x = length * k / n_edges, angle = 2 * std::numbers::pi * x / pitch;
        points.emplace_back(x, radius * std::cos(angle), radius * std::sin(angle));
    }
    return points;
}

inline Strands one_strand(const std::vector<Vec3>& points, const RodMaterial& material)
{
    Strands s;
    s.model.materials = {material};
    add_strand(s.model, s.state, points, 0, Vec3(0.3, 0.2, 1));
    group_strands(s.model);
    return s;
}

/// The first edge of a strand held where a motion of the body puts it.
struct Clamp {
    std::vector<Hold> hold;
    std::vector<Vec3> target, director;
    std::vector<Vec3> start, start_director;

    explicit Clamp(const StrandState& state)
        : hold(state.position.size(), Hold::Free), target(state.position), director(state.director),
          start(state.position), start_director(state.director)
    {
        hold[0] = Hold::VertexAndEdge;
        hold[1] = Hold::Vertex;
    }
    void move(const Vec3& shift, const Quat& turn)
    {
        for (const std::size_t v : {0, 1}) target[v] = turn * start[v] + shift;
        director[0] = turn * start_director[0];
    }
    void apply(StrandStep& step) const
    {
        step.hold = hold;
        step.target = target;
        step.target_director = director;
    }
};

/// One step; false if a strand did not converge.
inline bool advance(Strands& s, const StrandStep& step, StrandUpdate& update)
{
    step_strands(s.model, s.state, step, update);
    s.state = update.state;
    for (const StrandOutcome& o : update.outcome)
        if (!o.converged) return false;
    return true;
}

} // namespace rivulet
