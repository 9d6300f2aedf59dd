#pragma once

#include "sim/scratch.h"
#include "sim/stages.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace rivulet::test {

/// What each stage of a step does to the momentum of the liquid, from the faces and particles before and after it: none
/// is what another leaves. Impulses on its motion v + l [N s], which is changed by a change of the velocity on the
/// faces over `carried`. What a stage does to faces in the open goes on to those in walls and beyond the surface that
/// take theirs from them (extrapolation, which is linear): that is counted with the stage.
struct LiquidImpulses {
    Vec3 weight = Vec3::Zero();
    Vec3 strands = Vec3::Zero();    ///< drag
    Vec3 pressure = Vec3::Zero();   ///< of both projections
    Vec3 friction = Vec3::Zero();   ///< viscosity and wall friction
    Vec3 wall_faces = Vec3::Zero(); ///< faces in walls: weight that they do not take, and another flow than was brought
    Vec3 beyond = Vec3::Zero();     ///< faces beyond the surface: another flow than was brought
    Vec3 rounding = Vec3::Zero();   ///< of leads, which are floats

    LiquidImpulses& operator+=(const LiquidImpulses& o)
    {
        weight += o.weight;
        strands += o.strands;
        pressure += o.pressure;
        friction += o.friction;
        wall_faces += o.wall_faces;
        beyond += o.beyond;
        rounding += o.rounding;
        return *this;
    }
};

/// To be called after each stage of steps without mouths and without a carried change (Workspace::after_stage).
class MomentumWatch {
public:
    explicit MomentumWatch(double density) : density_(density) {}

    void operator()(std::string_view stage, const State& state, Workspace::Scratch& s)
    {
        if (stage == "begin") begin_ = motion(state);
        if (stage == "particles to grid") begin(state, s);
        if (stage == "drag" || stage == "gravity" || stage == "first projection" || stage == "viscosity" ||
            stage == "pressure" || stage == "wall friction")
            fields_.push_back({stage, s.faces.velocity});
        if (stage == "extrapolation") find(s);
        if (stage == "grid to particles") arrive(state, s);
    }
    /// Of the step that has been taken.
    [[nodiscard]] const LiquidImpulses& impulses() const { return impulses_; }
    /// Of the liquid's momentum in all of it.
    [[nodiscard]] Vec3 change(const State& after) const { return motion(after) - begin_; }

private:
    using Velocity = std::array<std::vector<double>, 3>;
    struct Field {
        std::string_view stage;
        Velocity velocity;
    };

    /// Momentum of v + l.
    [[nodiscard]] Vec3 motion(const State& state) const
    {
        Vec3 sum = Vec3::Zero();
        for (std::size_t p = 0; p < state.liquid.position.size(); ++p)
            sum += density_ * state.liquid.volume[p] * (state.liquid.velocity[p] + state.liquid.lead[p].cast<double>());
        return sum;
    }

    void begin(const State& state, const Workspace::Scratch& s)
    {
        mass_ = s.faces.mass;
        fields_ = {{"particles to grid", s.faces.velocity}};
        velocity_ = state.liquid.velocity;
        impulses_ = {};
    }

    /// As particles get it.
    static Velocity extended(Velocity u, Workspace::Scratch& s, const std::array<std::vector<std::uint8_t>, 3>& open)
    {
        auto known = open;
        extrapolate_velocity(s.grid, kExtrapolatedLayers, u, known);
        FaceSolids faces;
        constrain_to_solids(s.grid, s.solids.view(), s.solid_fields, known, u, faces);
        if (s.has_viscosity) s.viscosity_solver.extend_through_walls(u);
        return u;
    }

    /// Of all faces, those that a solid takes a part of, and the others.
    struct Change {
        Vec3 all = Vec3::Zero(), in_walls = Vec3::Zero();
    };
    [[nodiscard]] Change change(const Velocity& from, const Velocity& to, const Workspace::Scratch& s) const
    {
        Change sum;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t f = 0; f < mass_[a].size(); ++f) {
                const double part = mass_[a][f] * (to[a][f] - from[a][f]) / s.lead.carried;
                sum.all[static_cast<Eigen::Index>(a)] += part;
                if (s.solid_fields.open[a][f] < 1) sum.in_walls[static_cast<Eigen::Index>(a)] += part;
            }
        return sum;
    }

    void find(Workspace::Scratch& s)
    {
        std::array<std::vector<std::uint8_t>, 3> open;
        mark_known_faces(s.grid, s.solid_fields, s.pressure.unknown, open);
        Velocity last = extended(fields_.front().velocity, s, open);
        const Change brought = change(fields_.front().velocity, last, s);
        impulses_.wall_faces = brought.in_walls;
        impulses_.beyond = brought.all - brought.in_walls;
        for (std::size_t i = 1; i < fields_.size(); ++i) {
            Velocity next = extended(fields_[i].velocity, s, open);
            const Vec3 impulse = change(last, next, s).all;
            const std::string_view stage = fields_[i].stage;
            if (stage == "drag") impulses_.strands += impulse;
            if (stage == "first projection" || stage == "pressure") impulses_.pressure += impulse;
            if (stage == "viscosity" || stage == "wall friction") impulses_.friction += impulse;
            if (stage == "gravity") {
                impulses_.weight = change(fields_[i - 1].velocity, fields_[i].velocity, s).all;
                impulses_.wall_faces += impulse - impulses_.weight;
            }
            last = std::move(next);
        }
        EXPECT_TRUE(s.faces.velocity == last); // the stage does just that
    }

    void arrive(const State& state, const Workspace::Scratch& s)
    {
        for (std::size_t p = 0; p < velocity_.size(); ++p) {
            const double mass = density_ * state.liquid.volume[p];
            const Vec3& v = state.liquid.velocity[p];
            impulses_.rounding += mass * (state.liquid.lead[p].cast<double>() - s.lead.gained * (v - velocity_[p]));
        }
    }

    double density_;
    std::array<std::vector<double>, 3> mass_;
    std::vector<Field> fields_;  ///< as stages left them
    std::vector<Vec3> velocity_; ///< of particles before
    Vec3 begin_ = Vec3::Zero();
    LiquidImpulses impulses_;
};

} // namespace rivulet::test
