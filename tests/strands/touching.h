#pragma once

#include "strands/contact_step.h"
#include "strands/hair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rivulet {

inline std::vector<Vec3> line(const Vec3& from, const Vec3& to, int n_edges)
{
    std::vector<Vec3> points;
    for (int k = 0; k <= n_edges; ++k) points.emplace_back(from + (to - from) * k / n_edges);
    return points;
}

/// Strands that touch, and all that a step of them needs.
template <class Options, class Workspace>
struct TouchingStrands : Strands {
    explicit TouchingStrands(const RodMaterial& material) { model.materials = {material}; }

    void add(const std::vector<Vec3>& points, const Vec3& velocity = Vec3::Zero())
    {
        const Vec3 along = (points[1] - points[0]).normalized();
        const Vec3 across = along.cross(std::abs(along.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX());
        const std::int32_t s = add_strand(model, state, points, 0, across);
        for (std::int32_t v = model.first[static_cast<std::size_t>(s)]; v < model.n_vertices(); ++v)
            state.velocity[static_cast<std::size_t>(v)] = velocity;
    }
    void advance(const StrandStep& step)
    {
        step_strands(model, state, step, obstacles, memory, options, workspace, update, contact);
        state = update.state;
        memory = {};
        for (const StrandContact& c : contact.contacts) {
            memory.a.push_back(c.a);
            memory.b.push_back(c.b);
            memory.force.push_back(c.force);
        }
        for (const StrandOutcome& o : update.outcome) EXPECT_TRUE(o.converged);
    }
    [[nodiscard]] Vec3 momentum() const
    {
        const std::vector<double> mass = vertex_masses(model);
        Vec3 sum = Vec3::Zero();
        for (std::size_t v = 0; v < mass.size(); ++v) sum += mass[v] * state.velocity[v];
        return sum;
    }
    [[nodiscard]] double mass() const
    {
        double sum = 0;
        for (const double m : vertex_masses(model)) sum += m;
        return sum;
    }

    std::vector<StrandObstacle> obstacles;
    ContactMemory memory;
    Options options;
    Workspace workspace;
    StrandUpdate update;
    ContactUpdate contact;
};

/// With contact by cones.
using Touching = TouchingStrands<ContactOptions, ContactWorkspace>;

} // namespace rivulet
