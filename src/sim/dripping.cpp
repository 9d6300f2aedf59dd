#include "base/error.h"
#include "base/rng.h"
#include "sim/film_exchange.h"
#include "sim/film_stages.h"
#include "sim/scratch.h"
#include "sim/seed.h"
#include "sim/wet_span.h"
#include "wetting/exchange.h"
#include "wetting/film_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Such drops that a cell takes in a step though it is full.
constexpr double kDropsIntoFullCell = 2;

bool starts_frame(const Model& model, const State& state)
{
    return state.clock.time == static_cast<double>(state.clock.frame) * model.options.frame_interval;
}

class Shedding {
public:
    Shedding(const Model& model, State& state, const Workspace::Scratch& scratch, double dt)
        : model_(model), state_(state), scratch_(scratch), wetting_(*model.wetting), fall_(dt * model.options.gravity),
          unit_(kDropPart * std::pow(model.options.cell_size / kParticlesPerEdge, 3)), keys_(cell_keys(model)),
          strand_(strand_of_vertices(model.strands))
    {
    }

    void run()
    {
        if (starts_frame(model_, state_)) state_.film.shed_before = state_.film.shed;
        give_back();
        shed_pools();
        shed_films();
    }

private:
    [[nodiscard]] static double drop_radius(double volume) { return std::cbrt(0.75 * volume / std::numbers::pi); }

    /// Before it becomes a number of drops.
    static void require_finite(double volume, const char* array, std::size_t index)
    {
        if (!std::isfinite(volume))
            throw SimulationError("dripping", array, static_cast<std::int64_t>(index), fmt::format("is {}", volume));
    }

    /// Through an open wall, where a strand hangs out of the domain.
    [[nodiscard]] bool leaves(const Vec3& x) const
    {
        for (int a = 0; a < 3; ++a)
            for (const int side : {0, 1}) {
                const bool is_out = side == 0 ? x[a] < model_.domain.box.lower[a] : x[a] > model_.domain.box.upper[a];
                if (is_out && model_.domain.walls[static_cast<std::size_t>(2 * a + side)] == Wall::Open) return true;
            }
        return false;
    }

    void drop(double volume, const Vec3& x, const Vec3& velocity)
    {
        const auto liquid = static_cast<std::size_t>(wetting_.liquid);
        const bool is_gone = leaves(x);
        const Vec3 inside = is_gone ? x : Vec3(x.cwiseMax(model_.domain.box.lower).cwiseMin(model_.domain.box.upper));
        if (is_gone)
            state_.ledger.left[liquid].add(volume);
        else
            append_particle(model_, wetting_.liquid, {inside, velocity, Mat3::Zero(), volume, fall_}, state_);
        state_.ledger.shed[liquid].add(volume);
        const double mass = wetting_.film.density * volume;
        book(state_.strand_ledger.shed, -mass * velocity);
        state_.strand_ledger.exchange_energy.add(-energy_of(model_, mass, inside, velocity));
    }

    /// Room for liquid in the cells of wet strands, by their keys.
    void measure_room()
    {
        for (std::size_t v = 0; v < strand_.size(); ++v)
            if (state_.film.volume[v] > 0 || state_.film.pool[static_cast<std::size_t>(strand_[v])] > 0)
                cells_.push_back(keys_(state_.strands.position[v]));
        std::sort(cells_.begin(), cells_.end());
        cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
        room_.assign(cells_.size(), std::pow(model_.options.cell_size, 3));
        for (std::size_t p = 0; p < state_.liquid.position.size(); ++p) {
            const std::uint64_t key = keys_(state_.liquid.position[p]);
            const auto found = std::lower_bound(cells_.begin(), cells_.end(), key);
            if (found != cells_.end() && *found == key) room_at(found) -= state_.liquid.volume[p];
        }
    }
    double& room_at(std::vector<std::uint64_t>::const_iterator cell)
    {
        return room_[static_cast<std::size_t>(std::distance(cells_.cbegin(), cell))];
    }
    /// Of what is too much in a wet cell, that for which there is room, two drops at least; takes the room.
    double fitting(double volume, const Vec3& x)
    {
        if (cells_.empty()) measure_room();
        double& room = room_at(std::lower_bound(cells_.cbegin(), cells_.cend(), keys_(x)));
        const double part = std::min(volume, std::max(room, kDropsIntoFullCell * unit_));
        room -= part;
        return part;
    }

    [[nodiscard]] Vec3 felt(std::size_t v) const
    {
        return model_.options.gravity + scratch_.films.lift[v] - scratch_.films.acceleration[v];
    }
    [[nodiscard]] bool is_under(std::size_t v) const { return !(scratch_.films.exposure[v] > 0); }

    /// Where films run down into the liquid it takes what is more than they can hold.
    void give_back()
    {
        for (std::size_t v = 0; v < state_.film.volume.size(); ++v) {
            if (scratch_.films.exposure[v] >= kInWater) continue;
            const auto s = static_cast<std::size_t>(strand_[v]);
            const WetSpan strand = span_of(model_, state_, s);
            const double r = scratch_.films.radius[s] * model_.strands.scale_at(v);
            const double excess = state_.film.volume[v] - film_area((wetting_.thickest - 1) * r, r) * strand.length(v);
            if (excess < unit_) continue;
            const double shed = fitting(excess, strand.x[v]);
            drop(shed, strand.x[v], film_velocity(state_, strand, v));
            state_.film.shed[s] += shed;
            take_liquid(state_, strand, v, shed);
        }
    }

    void shed_pools()
    {
        for (std::size_t s = 0; s < state_.film.pool.size(); ++s) {
            double& pool = state_.film.pool[s];
            require_finite(pool, "film.pool", s);
            const std::size_t tip = static_cast<std::size_t>(model_.strands.first[s + 1]) - 1;
            const double r = scratch_.films.radius[s] * model_.strands.scale_at(tip);
            // Under water nothing hangs: the liquid takes what comes.
            const double hanging =
                is_under(tip) ? 0
                              : hanging_volume(r, wetting_.surface_tension, wetting_.film.density, felt(tip).norm());
            if (pool < std::max(unit_, hanging)) continue;
            const std::vector<Vec3>& x = state_.strands.position;
            const double shed = fitting(pool, x[tip]), n = std::floor(shed / unit_);
            const Vec3 tangent = (x[tip] - x[tip - 1]).normalized();
            const Vec3 velocity = state_.strands.velocity[tip] + state_.film.pool_flow[s] * tangent;
            for (double i = 0; i < n; ++i) // one behind the other
                drop(shed / n, x[tip] + (2 * i + 1) * drop_radius(shed / n) * tangent, velocity);
            state_.film.shed[s] += shed;
            pool -= shed;
            if (!(pool > 0)) state_.film.pool_flow[s] = 0;
        }
    }

    void shed_films()
    {
        std::vector<VertexInCell> wet;
        for (std::size_t v = 0; v < state_.film.volume.size(); ++v)
            if (state_.film.volume[v] > 0 && !is_under(v))
                wet.push_back({keys_(state_.strands.position[v]), static_cast<std::int32_t>(v)});
        std::sort(wet.begin(), wet.end());
        for (std::size_t begin = 0; begin < wet.size();) {
            std::size_t end = begin;
            while (end < wet.size() && wet[end].key == wet[begin].key) ++end;
            shed_cell(std::span(wet).subspan(begin, end - begin));
            begin = end;
        }
    }

    /// What the films of a cell feel together [m/s^2]: forces between its strands, as those of bridges, pull no liquid
    /// off them.
    [[nodiscard]] Vec3 felt_together(std::span<const VertexInCell> vertices, double& volume) const
    {
        Vec3 sum = Vec3::Zero();
        volume = 0;
        for (const VertexInCell& w : vertices) {
            const auto v = static_cast<std::size_t>(w.vertex);
            require_finite(state_.film.volume[v], "film.volume", v);
            volume += state_.film.volume[v];
            sum += state_.film.volume[v] * felt(v);
        }
        return sum / volume;
    }

    void shed_cell(std::span<const VertexInCell> vertices)
    {
        double volume = 0, squares = 0, pull = 0;
        const Vec3 a = felt_together(vertices, volume);
        std::int32_t last = -1;
        for (const VertexInCell& w : vertices) {
            const auto v = static_cast<std::size_t>(w.vertex);
            const WetSpan strand = span_of(model_, state_, static_cast<std::size_t>(strand_[v]));
            const std::size_t to = strand.has_after(v) ? v + 1 : v, from = strand.has_before(v) ? v - 1 : v;
            const Vec3 chord = strand.x[to] - strand.x[from];
            const double length = chord.norm();
            const Vec3 t = length > 0 ? Vec3(chord / length) : Vec3(Vec3::Zero());
            pull += state_.film.volume[v] * (a - a.dot(t) * t).norm();
            if (strand_[v] == last) continue;
            last = strand_[v];
            const double r = scratch_.films.radius[static_cast<std::size_t>(last)] * model_.strands.scale_at(v);
            squares += r * r;
        }
        const double factor = wetting_.drip_factor * wetting_.drip_factor;
        const double held = factor * held_volume(squares, wetting_.surface_tension, wetting_.film.density,
                                                 std::max(pull / volume, 1e-30));
        if (!(volume > held + unit_)) return;
        const Vec3& x = state_.strands.position[static_cast<std::size_t>(vertices[0].vertex)];
        let_go(vertices, volume, fitting(volume - held, x));
    }

    /// All films of the cell give the same part; together they make drops of one to two units.
    void let_go(std::span<const VertexInCell> vertices, double volume, double excess)
    {
        const double part = excess / volume, density = wetting_.film.density;
        const double n = std::floor(excess / unit_);
        Vec3 momentum = Vec3::Zero();
        std::vector<double> until;
        double released = 0;
        for (const VertexInCell& w : vertices) {
            const auto v = static_cast<std::size_t>(w.vertex);
            const double lost = part * state_.film.volume[v];
            const WetSpan strand = span_of(model_, state_, static_cast<std::size_t>(strand_[v]));
            momentum += density * lost * film_velocity(state_, strand, v);
            take_liquid(state_, strand, v, lost);
            state_.film.shed[static_cast<std::size_t>(strand_[v])] += lost;
            released += lost;
            until.push_back(released);
        }
        const Vec3 velocity = momentum / (density * released);
        for (double i = 0; i < n; ++i) {
            const auto random = [&](std::uint64_t which) {
                return random_unit(model_.options.seed, static_cast<std::uint64_t>(state_.next_id), which);
            };
            const auto chosen = std::upper_bound(until.begin(), until.end() - 1, random(0) * released);
            const auto v = static_cast<std::size_t>(
                vertices[static_cast<std::size_t>(std::distance(until.begin(), chosen))].vertex);
            const WetSpan strand = span_of(model_, state_, static_cast<std::size_t>(strand_[v]));
            const double along = random(1) - 0.5;
            const std::size_t other =
                along < 0 ? (strand.has_before(v) ? v - 1 : v) : (strand.has_after(v) ? v + 1 : v);
            const Vec3 x = strand.x[v] + std::abs(along) * (strand.x[other] - strand.x[v]), a = felt(v);
            const double clear = a.norm() > 0 ? drop_radius(released / n) / a.norm() : 0;
            drop(released / n, x + clear * a, velocity);
        }
    }

    const Model& model_;
    State& state_;
    const Workspace::Scratch& scratch_;
    const Wetting& wetting_;
    Vec3 fall_;   ///< what gravity adds to a velocity in the step [m/s]
    double unit_; ///< the least volume of a drop [m^3]
    CellKeys keys_;
    std::vector<std::int32_t> strand_;
    std::vector<std::uint64_t> cells_; ///< of wet strands, sorted; empty until something is shed
    std::vector<double> room_;         ///< in them [m^3]
};

} // namespace

void shed_liquid(const Model& model, State& state, const Workspace::Scratch& scratch, double dt)
{
    if (state.film.is_there() && model.wetting->drips) Shedding(model, state, scratch, dt).run();
}

} // namespace rivulet
