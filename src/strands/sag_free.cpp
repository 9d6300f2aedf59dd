#include "strands/sag_free.h"

#include "base/assert.h"
#include "strands/rod_element.h"
#include "strands/taper.h"

#include <Eigen/LU>

#include <cmath>

namespace rivulet {
namespace {

/// Masses depend on the rest lengths that are looked for, by a strain of 1e-6 or so.
constexpr int kRoundsOfMasses = 3;

LaneVec3 in_all_lanes(const Vec3& v) { return {spread(v.x()), spread(v.y()), spread(v.z())}; }
Vec3 lane_vector(const LaneVec3& v, int lane) { return {v.x[lane], v.y[lane], v.z[lane]}; }

RodEdge rod_edge_at(const StrandState& state, std::size_t v)
{
    const Vec3 edge = state.position[v + 1] - state.position[v];
    const double length = edge.norm();
    const Vec3 t = edge / length, m1 = state.director[v];
    return {in_all_lanes(t), in_all_lanes(m1), in_all_lanes(t.cross(m1)), spread(length), spread(1 / length)};
}

/// Derivatives of the energy at a vertex for moments of 1 about either axis of the section and for a twisting moment of
/// 1: one a lane. They are linear in the moments.
struct UnitMoments {
    RodBend bend;
    RodBendDerivatives by;
};
UnitMoments unit_moments(const StrandState& state, std::size_t v)
{
    UnitMoments unit;
    const RodEdge before = rod_edge_at(state, v - 1), after = rod_edge_at(state, v);
    measure_bend(before, after, unit.bend);
    unit.bend.twist = spread(state.twist[v]);
    RodBendLaw law;
    law.weight[0] = law.weight[1] = law.twist_weight = spread(1.0);
    for (std::size_t a = 0; a < 4; ++a) law.rest[a] = unit.bend.kappa[a];
    law.twist_rest = unit.bend.twist;
    for (const int axis : {0, 1}) // the same in the frames of both edges
        for (const int edge : {0, 2}) law.rest[axis + edge][axis] -= 1;
    law.twist_rest[2] -= 1;
    bend_gradient(before, after, unit.bend, law, unit.by);
    return unit;
}

class Balance {
public:
    Balance(StrandModel& model, const StrandState& state, std::int32_t strand, const Vec3& gravity)
        : model_(model), state_(state), gravity_(gravity), begin_(first(strand)), end_(first(strand + 1)),
          material_(model.materials[static_cast<std::size_t>(model.material[static_cast<std::size_t>(strand)])])
    {
    }

    void run()
    {
        for (int round = 0; round < kRoundsOfMasses; ++round) {
            find_lengths();
            find_bends();
        }
    }

private:
    [[nodiscard]] std::size_t first(std::int32_t strand) const
    {
        return static_cast<std::size_t>(model_.first[static_cast<std::size_t>(strand)]);
    }

    /// Weight of the vertices after edge v.
    [[nodiscard]] Vec3 weight_beyond(std::size_t v) const
    {
        double length = 0.5 * model_.rest_length[v] * cone_volume(model_.mean_scale(v), model_.scale_at(v + 1));
        for (std::size_t e = v + 1; e + 1 < end_; ++e)
            length += model_.rest_length[e] * cone_volume(model_.scale_at(e), model_.scale_at(e + 1));
        return material_.density * material_.area() * length * gravity_;
    }

    /// E A (length/rest - 1) carries the part of the weight that is along the edge.
    void find_lengths()
    {
        for (std::size_t v = end_ - 2; v > begin_; --v) { // the first edge is held
            const Vec3 edge = state_.position[v + 1] - state_.position[v];
            const double pull = weight_beyond(v).dot(edge.normalized());
            const double stiffness = material_.area() * cone_stiffness(model_.scale_at(v), model_.scale_at(v + 1));
            model_.rest_length[v] = edge.norm() / (1 + pull / (material_.youngs_modulus * stiffness));
        }
    }

    /// At each vertex from the tip on the three moments with which the edge after it is in equilibrium: the bends at
    /// its ends balance the weight across it, and nothing turns it about itself.
    void find_bends()
    {
        Vec3 by_next = Vec3::Zero(); // derivative by the edge of the energy at its other end
        double spin_by_next = 0;
        for (std::size_t v = end_ - 2; v > begin_; --v) {
            const UnitMoments unit = unit_moments(state_, v);
            const Vec3 m1 = state_.director[v];
            const Vec3 m2 = (state_.position[v + 1] - state_.position[v]).normalized().cross(m1);
            const Vec3 wanted = weight_beyond(v) - by_next;
            Eigen::Matrix3d system;
            for (int a = 0; a < 3; ++a) {
                const Vec3 column = lane_vector(unit.by.e1, a);
                system.col(a) = Eigen::Vector3d(column.dot(m1), column.dot(m2), unit.by.s1[a]);
            }
            // Forces are of the size of moments over lengths: made comparable.
            const double length = (state_.position[v + 1] - state_.position[v]).norm();
            system.topRows<2>() *= length;
            const Eigen::Vector3d moment = system.partialPivLu().solve(
                Eigen::Vector3d(length * wanted.dot(m1), length * wanted.dot(m2), -spin_by_next));
            RIVULET_VERIFY(moment.allFinite());
            set_rest(v, unit.bend, moment);
            by_next.setZero();
            spin_by_next = 0;
            for (int a = 0; a < 3; ++a) {
                by_next += moment[a] * lane_vector(unit.by.e0, a);
                spin_by_next += moment[a] * unit.by.s0[a];
            }
        }
    }

    /// weight (value - rest) = moment.
    void set_rest(std::size_t v, const RodBend& bend, const Eigen::Vector3d& moment)
    {
        const double voronoi = model_.bend_length(v);
        const double stiffness[2] = {material_.bending_moment_1(), material_.bending_moment_2()};
        for (std::size_t a = 0; a < 4; ++a) {
            const double weight = material_.youngs_modulus * stiffness[a % 2] / (2 * voronoi);
            model_.rest_curvature[v][a] = bend.kappa[a][0] - moment[static_cast<int>(a % 2)] / weight;
        }
        const double twist_weight = material_.shear_modulus * material_.torsion_moment() / voronoi;
        model_.rest_twist[v] = state_.twist[v] - moment[2] / twist_weight;
    }

    StrandModel& model_;
    const StrandState& state_;
    Vec3 gravity_;
    std::size_t begin_, end_;
    const RodMaterial& material_;
};

} // namespace

void balance_gravity(StrandModel& model, const StrandState& state, std::int32_t strand, const Vec3& gravity)
{
    Balance(model, state, strand, gravity).run();
}

} // namespace rivulet
