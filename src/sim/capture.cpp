#include "base/parallel.h"
#include "base/rng.h"
#include "sim/film_exchange.h"
#include "sim/film_stages.h"
#include "sim/free_liquid.h"
#include "sim/resample.h"
#include "sim/scratch.h"
#include "sim/seed.h"
#include "sim/wet_span.h"
#include "wetting/film_section.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace rivulet {
namespace {

/// Strands that are looked at as one task.
constexpr std::int64_t kStrandChunk = 64;
/// Balls in single precision are larger by this factor: none holds too little.
constexpr double kBallRoom = 1 + 1e-5;
/// A particle of which this part would be left has given all.
constexpr double kAll = 1e-12;

template <class Body>
void for_neighbours(const Vec3& cell, Body&& body)
{
    for (int n = 0; n < 27; ++n) body(CellKeys::key(cell + Vec3(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)));
}

void sort_cells(std::vector<std::uint64_t>& keys)
{
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

/// These cells and those around them, sorted.
std::vector<std::uint64_t> with_neighbours(std::vector<std::uint64_t> cells)
{
    sort_cells(cells);
    std::vector<std::uint64_t> all;
    all.reserve(27 * cells.size());
    for (const std::uint64_t k : cells) {
        const auto part = [&](int shift) { return static_cast<double>((k >> shift) & 2097151) - 1048576; };
        for_neighbours(Vec3(part(42), part(21), part(0)), [&](std::uint64_t key) { all.push_back(key); });
    }
    sort_cells(all);
    return all;
}

/// A particle in reach of a vertex.
struct Touch {
    std::int32_t vertex, particle;
    double volume; ///< that goes over [m^3]
};

class Capture {
public:
    Capture(const Model& model, State& state, const Workspace::Scratch& scratch, double dt)
        : model_(model), state_(state), scratch_(scratch), wetting_(*model.wetting), keys_(cell_keys(model)), dt_(dt),
          part_(1 - std::exp(-dt / wetting_.capture_time)), strand_(strand_of_vertices(model.strands))
    {
    }

    void run()
    {
        if (state_.liquid.size() == 0) return;
        if (state_.liquid.size() < static_cast<std::int64_t>(strand_.size())) find_reached();
        find_thirsty();
        if (thirsty_.empty()) return;
        find_touches();
        if (touches_.empty()) return;
        share_out();
        leave_no_crumbs();
        take_up();
        remove_taken();
    }

private:
    [[nodiscard]] double radius(std::size_t v) const
    {
        return scratch_.films.radius[static_cast<std::size_t>(strand_[v])] * model_.strands.scale_at(v);
    }
    [[nodiscard]] WetSpan span(std::size_t v) const
    {
        return span_of(model_, state_, static_cast<std::size_t>(strand_[v]));
    }
    /// What the vertex could still take [m^3].
    [[nodiscard]] double room(std::size_t v) const
    {
        const double r = radius(v);
        return film_area((wetting_.thickest - 1) * r, r) * span(v).length(v) - state_.film.volume[v];
    }

    /// Whether the vertex is out of liquid that its strand goes into nearby, where its film would run.
    [[nodiscard]] bool is_above_water(const WetSpan& strand, std::size_t v) const
    {
        const FilmScratchpad& films = scratch_.films;
        if (films.exposure[v] < kUnderWater) return false;
        const Vec3 felt = model_.options.gravity + films.lift[v] - films.acceleration[v];
        const auto runs_to = [&](std::size_t w) {
            return films.exposure[w] < kUnderWater && felt.dot(strand.x[w] - strand.x[v]) > 0;
        };
        const double reach = model_.options.cell_size;
        double way = 0;
        for (std::size_t w = v; strand.has_after(w) && way <= reach; ++w) {
            if (runs_to(w + 1)) return true;
            way += (strand.x[w + 1] - strand.x[w]).norm();
        }
        way = 0;
        for (std::size_t w = v; strand.has_before(w) && way <= reach; --w) {
            if (runs_to(w - 1)) return true;
            way += (strand.x[w] - strand.x[w - 1]).norm();
        }
        return false;
    }

    /// Whether liquid that meets a strand at this speed rises to it: it is touched from half a cell, of which a
    /// particle reaches over half. What does not would run back at once.
    [[nodiscard]] bool climbs(std::size_t p, std::size_t v) const
    {
        const double rise = 0.25 * model_.options.cell_size;
        const Vec3 speed = state_.liquid.velocity[p] - state_.strands.velocity[v];
        return speed.squaredNorm() > 2 * model_.options.gravity.norm() * rise;
    }

    /// Where particles are few, as when a few drops fly about, only what is near them need be looked at.
    void find_reached()
    {
        std::vector<std::uint64_t> cells;
        for (const Vec3& x : state_.liquid.position) {
            const std::uint64_t key = keys_(x);
            if (cells.empty() || cells.back() != key) cells.push_back(key); // particles lie in the order of cells
        }
        reached_ = with_neighbours(std::move(cells));
    }
    [[nodiscard]] bool is_reached(std::uint64_t key) const
    {
        return reached_.empty() || std::binary_search(reached_.begin(), reached_.end(), key);
    }

    void find_thirsty()
    {
        const auto n_strands = static_cast<std::int64_t>(scratch_.films.radius.size());
        std::vector<std::vector<VertexInCell>> parts(
            static_cast<std::size_t>((n_strands + kStrandChunk - 1) / kStrandChunk));
        reach_.resize(strand_.size());
        is_above_.resize(strand_.size());
        parallel_for(static_cast<std::int64_t>(parts.size()), "capture", [&](std::int64_t c) {
            std::vector<VertexInCell>& found = parts[static_cast<std::size_t>(c)];
            for (std::int64_t s = c * kStrandChunk; s < std::min(n_strands, (c + 1) * kStrandChunk); ++s)
                add_thirsty(span_of(model_, state_, static_cast<std::size_t>(s)), found);
        });
        for (const auto& part : parts) thirsty_.insert(thirsty_.end(), part.begin(), part.end());
        oneapi::tbb::parallel_sort(thirsty_.begin(), thirsty_.end());
        thirsty_.erase(std::unique(thirsty_.begin(), thirsty_.end()), thirsty_.end());
    }

    /// Those of a strand, in all cells that they pass.
    void add_thirsty(const WetSpan& strand, std::vector<VertexInCell>& found)
    {
        const double step = model_.options.cell_size;
        for (std::size_t v = strand.begin + 1; v + 1 < strand.end; ++v) { // a tip would catch its own drops
            if (!(room(v) > 0)) continue;
            is_above_[v] = is_above_water(strand, v) ? 1 : 0;
            double longest = 0;
            for (const std::size_t other : {v - 1, v + 1}) {
                const Vec3 half = 0.5 * (strand.x[other] - strand.x[v]);
                longest = std::max(longest, half.norm());
                const int n = std::max(1, static_cast<int>(std::ceil(half.norm() / step)));
                for (int i = 0; i <= n; ++i) {
                    const VertexInCell here{keys_(strand.x[v] + (static_cast<double>(i) / n) * half),
                                            static_cast<std::int32_t>(v)};
                    const bool is_new = found.empty() || !(found.back() == here);
                    if (is_new && is_reached(here.key)) found.push_back(here);
                }
            }
            const double film = film_outer_radius(state_.film.volume[v] / strand.length(v), radius(v));
            reach_[v] = longest + film + 0.5 * step;
        }
    }

    void find_touches()
    {
        Aabb box;
        for (const Vec3& x : state_.strands.position) box.include(x);
        box = box.dilated(2 * model_.options.cell_size);
        const std::int64_t n = state_.liquid.size();
        std::vector<std::vector<Touch>> parts(static_cast<std::size_t>((n + kOrderedChunk - 1) / kOrderedChunk));
        parallel_for(static_cast<std::int64_t>(parts.size()), "capture", [&](std::int64_t c) {
            Surroundings around;
            for (std::int64_t i = c * kOrderedChunk; i < std::min(n, (c + 1) * kOrderedChunk); ++i) {
                const auto p = static_cast<std::size_t>(i);
                if (state_.liquid.liquid[p] != wetting_.liquid || !box.contains(state_.liquid.position[p])) continue;
                find_touches(p, around, parts[static_cast<std::size_t>(c)]);
            }
        });
        for (const auto& part : parts) touches_.insert(touches_.end(), part.begin(), part.end());
    }

    /// Thirsty vertices in a cell and those around it, once for every cell that they lie in. Particles lie in the order
    /// of cells, so most find theirs as the one before left it.
    struct Surroundings {
        std::uint64_t key = ~std::uint64_t{0};
        Vec3 origin = Vec3::Zero(); ///< places are relative to it [m]
        std::vector<std::int32_t> vertices;
        std::array<std::vector<float>, 3> place; ///< [m]
        std::vector<float> reach;                ///< squared, of a ball that holds all that the vertex touches [m^2]
        std::vector<std::uint8_t> is_near;
        std::vector<std::int32_t> near; ///< what the last particle may touch, sorted
    };

    void look_around(const Vec3& cell, Surroundings& around) const
    {
        const std::uint64_t centre = CellKeys::key(cell);
        if (around.key == centre) return;
        around.key = centre;
        around.origin = keys_.origin + (cell + Vec3::Constant(0.5)) / keys_.inverse_size;
        around.vertices.clear();
        around.reach.clear();
        for (auto& along : around.place) along.clear();
        for (int n = 0; n < 9; ++n) { // cells that follow each other along the last axis have keys that do
            const Vec3 row = cell + Vec3(n % 3 - 1, n / 3 - 1, 0);
            const std::uint64_t last = CellKeys::key(row + Vec3::UnitZ());
            const VertexInCell first{CellKeys::key(row - Vec3::UnitZ()), 0};
            for (auto i = std::lower_bound(thirsty_.begin(), thirsty_.end(), first);
                 i != thirsty_.end() && i->key <= last; ++i)
                add_ball(i->vertex, around);
        }
        around.is_near.resize(around.vertices.size());
    }

    void add_ball(std::int32_t vertex, Surroundings& around) const
    {
        const auto v = static_cast<std::size_t>(vertex);
        const Vec3 place = state_.strands.position[v] - around.origin;
        const double reach = kBallRoom * reach_[v];
        around.vertices.push_back(vertex);
        for (std::size_t a = 0; a < 3; ++a)
            around.place[a].push_back(static_cast<float>(place[static_cast<Eigen::Index>(a)]));
        around.reach.push_back(static_cast<float>(reach * reach));
    }

    /// Of the surroundings, those whose ball holds the point: the few that need a closer look.
    static void look_near(const Vec3& x, Surroundings& around)
    {
        const Vec3 from = x - around.origin;
        const auto px = static_cast<float>(from.x()), py = static_cast<float>(from.y()),
                   pz = static_cast<float>(from.z());
        const float *const qx = around.place[0].data(), *const qy = around.place[1].data();
        const float *const qz = around.place[2].data(), *const reach = around.reach.data();
        std::uint8_t* const is_near = around.is_near.data();
        const std::size_t n = around.vertices.size();
        for (std::size_t i = 0; i < n; ++i) {
            const float dx = qx[i] - px, dy = qy[i] - py, dz = qz[i] - pz;
            is_near[i] = static_cast<std::uint8_t>(dx * dx + dy * dy + dz * dz <= reach[i]);
        }
        around.near.clear();
        for (std::size_t i = 0; i < n; ++i)
            if (is_near[i] != 0) around.near.push_back(around.vertices[i]);
        std::sort(around.near.begin(), around.near.end());
        around.near.erase(std::unique(around.near.begin(), around.near.end()), around.near.end());
    }

    /// Liquid is touched within half a cell of the film, which in full cells leaves no gaps between particles, and no
    /// farther than a bridge of particle and film would last.
    void find_touches(std::size_t p, Surroundings& around, std::vector<Touch>& touches) const
    {
        const Vec3& x = state_.liquid.position[p];
        look_around(keys_.cell(x), around);
        if (around.vertices.empty()) return;
        look_near(x, around);
        for (const std::int32_t vertex : around.near) {
            const auto v = static_cast<std::size_t>(vertex);
            const WetSpan strand = span(v);
            const double film = film_outer_radius(state_.film.volume[v] / strand.length(v), radius(v));
            const double distance = strand.distance(v, x);
            if (distance > film + 0.5 * model_.options.cell_size) continue;
            const double bridge =
                (1 + 0.5 * wetting_.contact_angle) * std::cbrt(state_.liquid.volume[p] + state_.film.volume[v]);
            if (is_above_[v] != 0 && !climbs(p, v)) continue;
            if (distance <= film + bridge) touches.push_back({vertex, static_cast<std::int32_t>(p), 0});
        }
    }

    /// A vertex asks all particles that it touches for the same part of theirs; one that is asked for more than it has
    /// gives all of it.
    void share_out()
    {
        std::vector<double> offered(strand_.size(), 0.0), asked(static_cast<std::size_t>(state_.liquid.size()), 0.0);
        for (const Touch& t : touches_)
            offered[static_cast<std::size_t>(t.vertex)] += state_.liquid.volume[static_cast<std::size_t>(t.particle)];
        for (Touch& t : touches_) {
            const auto v = static_cast<std::size_t>(t.vertex), p = static_cast<std::size_t>(t.particle);
            t.volume = state_.liquid.volume[p] * std::min(1.0, part_ * room(v) / offered[v]);
            asked[p] += t.volume;
        }
        for (Touch& t : touches_) {
            const auto p = static_cast<std::size_t>(t.particle);
            const double share = state_.liquid.volume[p] / asked[p];
            if (share < 1) t.volume *= share;
        }
    }

    /// Of a particle nothing is left that is smaller than the least drop: it goes over whole, if the films that touch
    /// it have room for it, or stays; so often the one and the other that as much is caught in the mean.
    void leave_no_crumbs()
    {
        const double least = kDropPart * nominal_volume(model_);
        std::vector<double> promised(strand_.size(), 0.0);
        for (const Touch& t : touches_) promised[static_cast<std::size_t>(t.vertex)] += t.volume;
        for (auto begin = touches_.begin(); begin != touches_.end();) {
            const auto p = static_cast<std::size_t>(begin->particle);
            const auto end =
                std::find_if(begin, touches_.end(), [&](const Touch& t) { return t.particle != begin->particle; });
            const std::span<Touch> touches(begin, end);
            begin = end;
            double given = 0;
            for (const Touch& t : touches) given += t.volume;
            const double volume = state_.liquid.volume[p], left = volume - given;
            if (!(given > 0) || left >= least || left <= kAll * volume) continue;
            const double random = random_unit(model_.options.seed, static_cast<std::uint64_t>(state_.liquid.id[p]),
                                              ~static_cast<std::uint64_t>(state_.clock.step));
            const bool fits = std::all_of(touches.begin(), touches.end(), [&](const Touch& t) {
                const auto v = static_cast<std::size_t>(t.vertex);
                return promised[v] + t.volume * left / given <= room(v);
            });
            const double factor = fits && random * volume < given ? volume / given : 0;
            for (Touch& t : touches) {
                promised[static_cast<std::size_t>(t.vertex)] += (factor - 1) * t.volume;
                t.volume *= factor;
            }
        }
    }

    void take_up()
    {
        const double density = wetting_.film.density;
        caught_.assign(strand_.size(), 0.0);
        momentum_.assign(strand_.size(), Vec3::Zero());
        given_.assign(static_cast<std::size_t>(state_.liquid.size()), 0.0);
        Account energy;
        std::vector<Account> loose(3);
        for (const Touch& t : touches_) {
            const auto v = static_cast<std::size_t>(t.vertex), p = static_cast<std::size_t>(t.particle);
            caught_[v] += t.volume;
            given_[p] += t.volume;
            const double mass = density * t.volume;
            const Vec3 lead = state_.liquid.lead[p].cast<double>(), kept = loose_lead(model_, state_, scratch_, p, dt_);
            const Vec3 velocity = state_.liquid.velocity[p] + 2 * lead - kept;
            momentum_[v] += mass * velocity;
            book(loose, mass * kept);
            energy.add(energy_of(model_, mass, state_.liquid.position[p], velocity));
        }
        for (std::size_t a = 0; a < 3; ++a) state_.strand_ledger.lead[a] -= loose[a].total();
        state_.strand_ledger.exchange_energy.add(energy.total());
        const std::vector<double> wet = film_masses(model_, state_), dry = vertex_masses(model_.strands);
        for (std::size_t v = 0; v < strand_.size(); ++v) {
            if (!(caught_[v] > 0)) continue;
            receive_liquid(model_, state_, scratch_, span(v), v, wet[v] + dry[v], caught_[v], momentum_[v]);
            book(state_.strand_ledger.caught, momentum_[v]);
        }
    }

    void remove_taken()
    {
        Account& caught = state_.ledger.caught[static_cast<std::size_t>(wetting_.liquid)];
        std::vector<std::uint8_t> keep(given_.size(), 1);
        bool any = false;
        for (std::size_t p = 0; p < given_.size(); ++p) {
            if (!(given_[p] > 0)) continue;
            caught.add(given_[p]);
            const double left = state_.liquid.volume[p] - given_[p];
            // Rounding is not a drop: it stays on the strand's side of the ledger.
            if (left <= kAll * state_.liquid.volume[p]) {
                keep[p] = 0;
                any = true;
            } else {
                state_.liquid.volume[p] = left;
            }
        }
        if (any) remove_particles(keep, state_.liquid);
    }

    const Model& model_;
    State& state_;
    const Workspace::Scratch& scratch_;
    const Wetting& wetting_;
    CellKeys keys_;
    double dt_;   ///< of the step [s]
    double part_; ///< of its room that a vertex fills in the step
    std::vector<std::int32_t> strand_;
    std::vector<std::uint64_t> reached_; ///< cells in reach of a particle, sorted; empty = any may be
    std::vector<VertexInCell> thirsty_;  ///< vertices that can take liquid up, sorted
    std::vector<std::uint8_t> is_above_; ///< thirsty vertices that are above water
    std::vector<double> reach_;          ///< how far from a thirsty vertex there may be liquid that it touches [m]
    std::vector<Touch> touches_;         ///< by particle, then vertex
    std::vector<double> caught_, given_; ///< by vertices, from particles [m^3]
    std::vector<Vec3> momentum_;         ///< caught [kg m/s]
};

} // namespace

void catch_liquid(const Model& model, State& state, const Workspace::Scratch& scratch, double dt)
{
    if (state.film.is_there() && model.wetting->captures) Capture(model, state, scratch, dt).run();
}

} // namespace rivulet
