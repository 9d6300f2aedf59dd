#include "sim/spray.h"

#include "base/parallel.h"
#include "sim/scratch.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Liquid in the 27 cells about a particle of spray, at most [cells]. A film of a ninth of a cell has as much.
constexpr double kMostSpray = 1;
/// Farther from a solid than this a particle reaches no face in it [cells].
constexpr double kNearSolid = 1.5;
/// Of energies: less is rounding, of leads in single precision, and left alone.
constexpr double kSlack = 1e-6;

/// Of tiles about t, whether one has a source's mouth or a drain in it.
bool has_opening_near(const Workspace::Scratch& s, int t)
{
    for (int n = 0; s.openings.any() && n < 27; ++n) {
        const int other = s.grid.neighbour(t, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
        if (other < s.grid.n_tiles() && s.openings.has(static_cast<std::size_t>(other))) return true;
    }
    return false;
}

/// Whether the cells about cell c of tile t hold less than `most` [m^3].
bool is_sparse(const Workspace::Scratch& s, const std::vector<double>& volume, int t, int c, double most)
{
    constexpr int kOwn = 13; // first, as it may be full
    double sum = 0;
    for (int i = 0; i < 27; ++i) {
        const int n = (i + kOwn) % 27;
        const std::size_t cell = s.grid.index(t, c % 8 + n % 3 - 1, c / 8 % 8 + n / 3 % 3 - 1, c / 64 + n / 9 - 1);
        for (const std::int32_t p :
             s.order.cell(static_cast<int>(cell / kTileCells), static_cast<int>(cell % kTileCells)))
            sum += volume[static_cast<std::size_t>(p)];
        if (sum > most) return false;
    }
    return true;
}

/// The velocity that liquid beside a solid may get from it. A smooth one pushes by its normal alone: how it turns about
/// itself is nothing to the liquid.
Vec3 frame_of(const Solids& solids, const Vec3& x, int body)
{
    Vec3 u = solids.velocity(x, body);
    if (body < 0 || solids.friction(body) > 0) return u;
    const Vec3& drift = solids.bodies[static_cast<std::size_t>(body)].twist.linear;
    const Vec3 n = solids.normal(x, body);
    return drift + n.dot(u - drift) * n;
}

/// (a + b)^2 of a^2 and b.
double square_of_sum(double a_squared, double b)
{
    const double sum = std::sqrt(std::max(a_squared, 0.0)) + b;
    return sum * sum;
}

/// The largest part of b, up to all, with (a + part b)^2 <= square; that of a is no more.
double part_within(const Vec3& a, const Vec3& b, double square)
{
    const double bb = b.squaredNorm();
    if ((a + b).squaredNorm() <= (1 + kSlack) * square || bb == 0) return 1;
    const double ab = a.dot(b), room = std::max(square - a.squaredNorm(), 0.0);
    return std::min(1.0, (std::sqrt(ab * ab + bb * room) - ab) / bb);
}

} // namespace

void find_spray(const Model& model, const State& state, Workspace::Scratch& s)
{
    const Solids solids = s.solids.view();
    const double most = kMostSpray * std::pow(model.options.cell_size, 3);
    for (auto& field : s.spray.from_strands) field.clear();
    s.spray.tiles.assign(static_cast<std::size_t>(s.grid.n_tiles()), {});
    parallel_for(s.grid.n_tiles(), "spray", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        const auto tile = static_cast<std::size_t>(ti);
        if (s.order.cell_table[tile] < 0 || s.free_liquid.has(tile) || has_opening_near(s, t)) return;
        for (int c = 0; c < kTileCells; ++c) {
            const auto particles = s.order.cell(t, c);
            if (particles.empty() || !is_sparse(s, state.liquid.volume, t, c, most)) continue;
            for (const std::int32_t p : particles) {
                const Vec3& x = state.liquid.position[static_cast<std::size_t>(p)];
                const Solids::Nearest solid = solids.nearest(x);
                if (solid.distance > kNearSolid * model.options.cell_size) continue;
                s.spray.tiles[tile].push_back({.particle = p, .frame = frame_of(solids, x, solid.body)});
            }
        }
    });
}

void weigh_spray(const Model& model, const State& state, Workspace::Scratch& s, double dt)
{
    const LiquidParticles& l = state.liquid;
    const Vec3 fall = s.lead.force * dt * model.options.gravity, of_weight = 0.5 * dt * model.options.gravity;
    parallel_for(s.grid.n_tiles(), "spray", [&](std::int64_t t) {
        for (SprayParticle& spray : s.spray.tiles[static_cast<std::size_t>(t)]) {
            const auto p = static_cast<std::size_t>(spray.particle);
            const FaceMean mean = mean_of_faces(s.grid, s.faces.velocity, l.position[p]);
            const Vec3 shift = fall - spray.frame;
            spray.energy = mean.square + 2 * mean.velocity.dot(shift) + shift.squaredNorm();
            const Vec3 moved = l.velocity[p] + l.lead[p].cast<double>() - of_weight - spray.frame;
            spray.motion = std::max(spray.energy, moved.squaredNorm());
            if (s.spray.from_strands[0].empty()) continue;
            const double push = largest_at_faces(s.grid, s.spray.from_strands, l.position[p]).norm();
            spray.energy = square_of_sum(spray.energy, push);
            spray.motion = square_of_sum(spray.motion, (1 + s.lead.gained) * push);
        }
    });
}

void limit_spray(const Model& model, State& state, const Workspace::Scratch& s, double dt)
{
    LiquidParticles& l = state.liquid;
    const double moment = model.options.cell_size * model.options.cell_size / 4;
    const Vec3 of_weight = 0.5 * dt * model.options.gravity;
    parallel_for(s.grid.n_tiles(), "spray", [&](std::int64_t t) {
        for (const SprayParticle& spray : s.spray.tiles[static_cast<std::size_t>(t)]) {
            const auto p = static_cast<std::size_t>(spray.particle);
            Vec3 slip = l.velocity[p] - spray.frame;
            const double speed = slip.norm(), most = std::sqrt(std::max(spray.energy, 0.0));
            if (speed * speed > (1 + kSlack) * spray.energy) {
                const Vec3 change = (most / speed - 1) * slip;
                slip += change;
                l.velocity[p] += change;
                if (!s.lead.is_first) {
                    l.lead[p] += (s.lead.gained * change).cast<float>();
                    l.position[p] += dt * change;
                }
            }
            const double of_gradient = moment * l.affine[p].squaredNorm();
            const double left = std::max(spray.energy - slip.squaredNorm(), 0.0);
            if (of_gradient > left + kSlack * spray.energy) l.affine[p] *= std::sqrt(left / of_gradient);
            const Vec3 loose = l.lead[p].cast<double>() - of_weight;
            const double part = part_within(slip, loose, spray.motion);
            if (part < 1) l.lead[p] = (of_weight + part * loose).cast<float>();
        }
    });
}

} // namespace rivulet
