#include "sim/resample.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "grid/particle_order.h"
#include "sim/obstacles.h"
#include "sim/seed.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

namespace rivulet {
namespace {

/// How far two particles may be apart to be merged, and the halves of a split are put from its middle, in cells.
constexpr double kMergeReach = 1;
constexpr double kSplitOffset = 0.25;
/// Directions tried for a split, and how often the offset is halved where none of them is free: in the end two halves
/// fit wherever contact has put their middle.
constexpr int kSplitDirections = 4;
constexpr int kSplitHalvings = 5;
/// Part of an offset that must be left when it has been turned along the solids.
constexpr double kLeastOffset = 0.3;
/// Halvings of a particle in one step: it may become eight.
constexpr int kSplitRounds = 3;

using Indices = std::vector<std::int32_t>;

/// The particles that pass the test, in order. Each chunk of them has a copy of the test, which may remember things.
template <class Test>
Indices select(std::int64_t n, const char* name, const Test& test_of_all)
{
    std::vector<Indices> parts(static_cast<std::size_t>((n + kOrderedChunk - 1) / kOrderedChunk));
    parallel_for(static_cast<std::int64_t>(parts.size()), name, [&](std::int64_t c) {
        Test test = test_of_all;
        const std::int64_t end = std::min(n, (c + 1) * kOrderedChunk);
        for (std::int64_t p = c * kOrderedChunk; p < end; ++p)
            if (test(static_cast<std::size_t>(p)))
                parts[static_cast<std::size_t>(c)].push_back(static_cast<std::int32_t>(p));
    });
    Indices all;
    for (const Indices& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::vector<Vec3> positions_of(const Indices& particles, const LiquidParticles& l)
{
    std::vector<Vec3> positions;
    positions.reserve(particles.size());
    for (const std::int32_t p : particles) positions.push_back(l.position[static_cast<std::size_t>(p)]);
    return positions;
}

/// What a particle may not be moved into.
struct Obstruction {
    SolidSet set;
    Aabb domain;
    double margin; ///< half of that which contact keeps [m]

    Obstruction(const Model& model, double time)
        : set(solids_at(model, time, 0)), domain(model.domain.box),
          margin(0.5 * kContactMargin * model.options.cell_size)
    {
    }
    /// Whether the straight way from a to b keeps clear of solids: marches by the distance to them.
    [[nodiscard]] bool lets_pass(const Vec3& a, const Vec3& b) const
    {
        const Solids solids = set.view();
        const double length = (b - a).norm();
        for (double s = 0; s < length;) {
            const double gap = solids.distance(a + s / length * (b - a));
            if (gap < margin) return false;
            s += gap;
        }
        return domain.contains(b) && solids.distance(b) >= margin;
    }
    /// Takes from d what leads from x into a solid.
    [[nodiscard]] Vec3 along_solids(const Vec3& x, Vec3 d) const
    {
        const Solids solids = set.view();
        for (int n = 0; n < 6; ++n) { // three solids may meet, and either end may touch them
            const Vec3 end = n % 2 == 0 ? Vec3(x + d) : Vec3(x - d);
            const Solids::Nearest solid = solids.nearest(end);
            if (solid.distance >= margin) continue;
            const Vec3 normal = solids.normal(end, solid.body);
            d -= d.dot(normal) * normal;
        }
        return d;
    }
};

/// The particles in the cells around some small ones, by cell.
class Neighbourhood {
public:
    Neighbourhood(const Model& model, const Indices& small, const LiquidParticles& l)
        : grid_(tiles_around(positions_of(small, l), model.domain.box.lower, model.options.cell_size, 1))
    {
        std::vector<std::uint8_t> is_near(grid_.field_size(), 0);
        for (const std::int32_t p : small)
            for_cells_around(l.position[static_cast<std::size_t>(p)], [&](std::size_t cell) { is_near[cell] = 1; });
        std::fill(is_near.end() - kTileCells, is_near.end(), std::uint8_t{0}); // of the tile that does not exist
        particles_ = select(l.size(), "particles near small ones", [&, tile = kNoTile, t = 0](std::size_t p) mutable {
            const Vec3i cell = cell_of(l.position[p], grid_.origin(), grid_.cell_size());
            if (tile_of(cell) != tile) {
                tile = tile_of(cell);
                t = grid_.find(tile);
            }
            return is_near[static_cast<std::size_t>(t) * kTileCells +
                           static_cast<std::size_t>(cell_in_tile(cell.x() & 7, cell.y() & 7, cell.z() & 7))] != 0;
        });
        sort_particles(grid_, positions_of(particles_, l), order_);
    }

    /// Calls body(particle) for those in the 27 cells around x.
    template <class Body>
    void visit(const Vec3& x, Body&& body) const
    {
        for_cells_around(x, [&](std::size_t cell) {
            for (const std::int32_t i :
                 order_.cell(static_cast<int>(cell / kTileCells), static_cast<int>(cell % kTileCells)))
                body(static_cast<std::size_t>(particles_[static_cast<std::size_t>(i)]));
        });
    }

private:
    static inline const Vec3i kNoTile = Vec3i::Constant(std::numeric_limits<int>::min());
    [[nodiscard]] static Vec3i tile_of(const Vec3i& cell) { return {cell.x() >> 3, cell.y() >> 3, cell.z() >> 3}; }

    template <class Body>
    void for_cells_around(const Vec3& x, Body&& body) const
    {
        const Vec3i cell = cell_of(x, grid_.origin(), grid_.cell_size());
        const int t = grid_.find(tile_of(cell));
        if (t == grid_.n_tiles()) return; // a merge has moved it out of the tiles: the next step sees to it
        for (int n = 0; n < 27; ++n)
            body(
                grid_.index(t, (cell.x() & 7) + n % 3 - 1, (cell.y() & 7) + n / 3 % 3 - 1, (cell.z() & 7) + n / 9 - 1));
    }

    TileGrid grid_;
    Indices particles_;
    ParticleOrder order_; ///< of particles_
};

/// Lets b go up in a. With shares s_a, s_b of the volume, r = x_b - x_a, u = v_b - v_a and D = dx^2/4 the mean of the
/// affine parts lacks the angular momentum s_a s_b r x u of the pair about its centre; an antisymmetric part of
/// s_a s_b (u r^T - r u^T) / (2 D) brings it back with the least energy.
void merge(double dx, std::size_t a, std::size_t b, LiquidParticles& l)
{
    const double volume = l.volume[a] + l.volume[b];
    const double s_a = l.volume[a] / volume;
    const double s_b = l.volume[b] / volume;
    const Vec3 r = l.position[b] - l.position[a];
    const Vec3 u = l.velocity[b] - l.velocity[a];
    const Mat3 moment = u * r.transpose();
    l.affine[a] =
        s_a * l.affine[a] + s_b * l.affine[b] + 2 * s_a * s_b / (dx * dx) * (moment - moment.transpose()).eval();
    l.position[a] += s_b * r;
    l.velocity[a] += s_b * u;
    l.lead[a] += static_cast<float>(s_b) * (l.lead[b] - l.lead[a]);
    l.colour[a] += static_cast<float>(s_b) * (l.colour[b] - l.colour[a]);
    l.pressure[a] += static_cast<float>(s_b) * (l.pressure[b] - l.pressure[a]);
    l.volume[a] = volume;
}

/// Merges every particle of `small` that has one to join. Returns those whose places are free from now on, and adds to
/// `large` what has become so.
Indices merge_small(const Model& model, const Indices& small, const Obstruction& obstruction, State& state,
                    Indices& large)
{
    LiquidParticles& l = state.liquid;
    const double dx = model.options.cell_size;
    const double least = kSmallestParticle * nominal_volume(model);
    const double most = kLargestParticle * nominal_volume(model);
    const Neighbourhood around(model, small, l);
    std::vector<std::uint8_t> keep(l.volume.size(), 1);
    const auto nearest = [&](std::size_t p) {
        std::optional<std::size_t> best;
        double reach = kMergeReach * dx;
        around.visit(l.position[p], [&](std::size_t q) {
            if (q == p || keep[q] == 0 || l.liquid[q] != l.liquid[p]) return;
            const double distance = (l.position[q] - l.position[p]).norm();
            if (distance >= reach || !obstruction.lets_pass(l.position[p], l.position[q])) return;
            reach = distance;
            best = q;
        });
        return best;
    };
    Indices gone;
    // One after the other, in the order of the particles: each sees what those before it have left.
    for (const std::int32_t candidate : small) {
        const auto p = static_cast<std::size_t>(candidate);
        while (keep[p] != 0 && l.volume[p] < least) {
            const std::optional<std::size_t> q = nearest(p);
            if (!q) break;
            const bool p_stays = l.volume[p] > l.volume[*q];
            const std::size_t stays = p_stays ? p : *q;
            const std::size_t goes = p_stays ? *q : p;
            const auto liquid = static_cast<std::size_t>(l.liquid[p]);
            state.ledger.merged[liquid].add(l.volume[goes]);
            ++state.ledger.n_merges[liquid];
            merge(dx, stays, goes, l);
            keep[goes] = 0;
            gone.push_back(static_cast<std::int32_t>(goes));
            if (l.volume[stays] > most) large.push_back(static_cast<std::int32_t>(stays));
        }
    }
    std::sort(gone.begin(), gone.end(), std::greater<>());
    return gone;
}

/// Uniform on the sphere, by particle, step and attempt.
Vec3 random_direction(const Model& model, const State& state, std::size_t p, int attempt)
{
    const auto number = [&](int n) {
        return random_unit(model.options.seed, static_cast<std::uint64_t>(state.liquid.id[p]),
                           static_cast<std::uint64_t>(64 * state.clock.step + 2 * attempt + n));
    };
    const double z = 2 * number(0) - 1;
    const double angle = 2 * std::numbers::pi * number(1);
    const double radius = std::sqrt(1 - z * z);
    return {radius * std::cos(angle), radius * std::sin(angle), z};
}

/// Where the two halves may go, from the middle.
std::optional<Vec3> split_offset(const Model& model, const State& state, std::size_t p, const Obstruction& obstruction)
{
    const Vec3& x = state.liquid.position[p];
    double length = kSplitOffset * model.options.cell_size;
    for (int halving = 0; halving <= kSplitHalvings; ++halving, length /= 2)
        for (int n = 0; n < kSplitDirections; ++n) {
            const Vec3 straight = length * random_direction(model, state, p, halving * kSplitDirections + n);
            const Vec3 d = obstruction.along_solids(x, straight);
            if (d.norm() >= kLeastOffset * length && obstruction.lets_pass(x, x + d) && obstruction.lets_pass(x, x - d))
                return d;
        }
    return {};
}

/// Parts particle p at x - d and x + d. Both halves keep velocity and affine part: their offsets then bring no moment
/// of their own, and the energy stays. The new one takes the last place that is free, or one at the end; returns it.
std::int32_t split(std::size_t p, const Vec3& d, Indices& free, State& state)
{
    LiquidParticles& l = state.liquid;
    const std::size_t q = free.empty() ? l.volume.size() : static_cast<std::size_t>(free.back());
    if (!free.empty()) free.pop_back();
    l.volume[p] *= 0.5;
    visit_particles(l, [&](const char*, const char*, auto& values) {
        const auto copy = values[p];
        if (q == values.size()) values.emplace_back();
        values[q] = copy;
    });
    l.position[p] -= d;
    l.position[q] += d;
    l.id[q] = state.next_id++;
    const auto liquid = static_cast<std::size_t>(l.liquid[p]);
    state.ledger.split[liquid].add(l.volume[q]);
    ++state.ledger.n_splits[liquid];
    return static_cast<std::int32_t>(q);
}

/// Splits the particles of `large`, and their halves, a few times at most.
void split_large(const Model& model, Indices large, const Obstruction& obstruction, Indices& free, State& state)
{
    const double most = kLargestParticle * nominal_volume(model);
    for (int round = 0; round < kSplitRounds && !large.empty(); ++round) {
        Indices still;
        for (const std::int32_t candidate : large) {
            const auto p = static_cast<std::size_t>(candidate);
            const std::optional<Vec3> d = split_offset(model, state, p, obstruction);
            if (!d) continue;
            const std::int32_t q = split(p, *d, free, state);
            if (state.liquid.volume[p] > most) still.insert(still.end(), {candidate, q});
        }
        large = std::move(still);
    }
}

/// Takes out the given particles, largest index first, and puts the last one in the place of each: few are moved.
void remove_by_last(const Indices& gone, LiquidParticles& particles)
{
    visit_particles(particles, [&](const char*, const char*, auto& values) {
        for (const std::int32_t p : gone) {
            values[static_cast<std::size_t>(p)] = values.back();
            values.pop_back();
        }
    });
}

} // namespace

double nominal_volume(const Model& model)
{
    const double edge = model.options.cell_size / kParticlesPerEdge;
    return edge * edge * edge;
}

void resample_liquid(const Model& model, double time, State& state)
{
    const double least = kSmallestParticle * nominal_volume(model);
    const double most = kLargestParticle * nominal_volume(model);
    const std::vector<double>& volume = state.liquid.volume;
    // What is not a volume at all is left for the watchdog to name.
    Indices small = select(state.liquid.size(), "particle sizes", [&](std::size_t p) {
        return (volume[p] > 0 && volume[p] < least) || (volume[p] > most && std::isfinite(volume[p]));
    });
    if (small.empty()) return;
    Indices large;
    std::erase_if(small, [&](std::int32_t p) {
        const bool is_large = volume[static_cast<std::size_t>(p)] > most;
        if (is_large) large.push_back(p);
        return is_large;
    });

    const Obstruction obstruction(model, time);
    Indices free;
    if (!small.empty()) free = merge_small(model, small, obstruction, state, large);
    std::sort(large.begin(), large.end());
    large.erase(std::unique(large.begin(), large.end()), large.end());
    split_large(model, std::move(large), obstruction, free, state);
    remove_by_last(free, state.liquid);
}

ParticleSizes particle_sizes(const Model& model, const State& state)
{
    ParticleSizes sizes;
    sizes.nominal = nominal_volume(model);
    const std::vector<double>& volume = state.liquid.volume;
    if (volume.empty()) return sizes;
    const auto [smallest, largest] = std::minmax_element(volume.begin(), volume.end());
    sizes.smallest = *smallest;
    sizes.largest = *largest;
    for (const double v : volume) {
        if (v < kSmallestParticle * sizes.nominal) ++sizes.n_below_half;
        if (v > kLargestParticle * sizes.nominal) ++sizes.n_above_twice;
    }
    return sizes;
}

} // namespace rivulet
