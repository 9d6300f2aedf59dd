#include "strands/touching.h"

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kYarn = 0.5e-3, kLoop = 5e-3, kGravity = 9.81;
constexpr int kKnitRows = 2, kKnitColumns = 2, kLoopEdges = 24;

/// Stockinette of two yarns without internal viscosity, held at its ends, which are drawn apart.
struct Knit : Touching {
    explicit Knit(double friction)
        : Touching({.density = 1000,
                    .youngs_modulus = 5e6,
                    .shear_modulus = 2e6,
                    .radius_a = kYarn,
                    .radius_b = kYarn,
                    .friction = friction})
    {
        const double w = kLoop / (2 * std::numbers::pi);
        for (int row = 0; row < kKnitRows; ++row) {
            std::vector<Vec3> points;
            for (int k = 0; k <= kKnitColumns * kLoopEdges; ++k) {
                const double t = 2 * std::numbers::pi * (static_cast<double>(k) / kLoopEdges - 0.5 * kKnitColumns);
                points.emplace_back(w * (t + 1.5 * std::sin(2 * t)), -w * std::cos(2 * t),
                                    w * (-4 * std::cos(t) + 4.8 * row));
            }
            add(points);
        }
        group_strands(model);
        hold.assign(state.position.size(), Hold::Free);
        for (std::int32_t s = 0; s < kKnitRows; ++s) {
            const auto i = static_cast<std::size_t>(s);
            hold[static_cast<std::size_t>(model.first[i])] = Hold::Vertex;
            hold[static_cast<std::size_t>(model.first[i + 1]) - 1] = Hold::Vertex;
        }
        target = start = state.position;
        director = state.director;
    }

    /// With its ends drawn apart by this length [m]. What the yarns have gained in this step of energy beyond the work
    /// of all that acts on them, which cannot be more than nothing [J].
    double draw(double apart, double dt)
    {
        for (std::size_t v = 0; v < hold.size(); ++v)
            if (hold[v] != Hold::Free) target[v].x() = start[v].x() + std::copysign(0.5 * apart, start[v].x());
        const StrandState before = state;
        const double energy_before = energy();
        advance({.dt = dt, .gravity = {0, 0, -kGravity}, .hold = hold, .target = target, .target_director = director});
        double gained = energy() - energy_before;
        for (const StrandOutcome& o : update.outcome) gained -= o.support_work;
        bound = given = 0;
        const StrandMotion motion{before.position, state.position, hold};
        for (const StrandContact& c : contact.contacts) {
            const Vec3 moved = contact_motion(c, motion);
            given += c.force.dot(moved);
            bound += c.force.dot(c.normal) * std::max(0.0, -c.gap) + c.force.norm() * contact.residual;
        }
        return gained - given;
    }
    [[nodiscard]] double energy() const
    {
        const std::vector<double> mass = vertex_masses(model);
        const RodMaterial& m = model.materials[0];
        double sum = elastic_energy(model, state);
        for (std::size_t v = 0; v < mass.size(); ++v) {
            const double inertia = 0.5 * m.density * m.area() * model.rest_length[v] * m.radius_a * m.radius_a;
            sum += mass[v] * (0.5 * state.velocity[v].squaredNorm() + kGravity * state.position[v].z());
            sum += 0.5 * inertia * state.spin[v] * state.spin[v];
        }
        return sum;
    }

    std::vector<Hold> hold;
    std::vector<Vec3> start, target, director;
    double given = 0; ///< work of all contacts in the step [J]
    double bound = 0; ///< what they may do: of overlaps that they undo, and what is left of Coulomb's law [J]
};

/// In a step of 2 ms the force of a contact alone would take a vertex of a taut yarn by two hundred diameters.
TEST(Knits, GainNoEnergyFromContacts)
{
    for (const double friction : {0.0, 0.3}) {
        Knit knit(friction);
        const int steps = 50;
        for (int i = 1; i <= steps; ++i) {
            const double part = static_cast<double>(i) / steps;
            const double gained = knit.draw(0.012 * part * part * (3 - 2 * part), 2e-3);
            ASSERT_LT(gained, 1e-10) << friction << " " << i;
            ASSERT_LT(knit.given, knit.bound + 1e-12) << friction << " " << i;
            ASSERT_EQ(knit.contact.n_missed, 0) << friction << " " << i;
            ASSERT_TRUE(knit.contact.is_bearable) << friction << " " << i;
        }
    }
}

} // namespace
} // namespace rivulet
