#include "sim/sources.h"

#include "base/parallel.h"
#include "fluid/solids.h"
#include "sim/active_mouths.h"
#include "sim/obstacles.h"
#include "sim/seed_lattice.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace rivulet {
namespace {

/// Cubes count as in a mouth so far behind its surface, in edges of theirs: one that ends a step just there, as it
/// would again and again where thickness, speed and step are round numbers, might be counted twice by rounding.
constexpr double kNoRoundPlace = 0.00618034;

/// A part of a cube that a source brings.
struct BroughtPart {
    CubePart part;
    bool has_entered = false; ///< in this step, and not just been there when the source started
    double way = 0;           ///< since it entered [m]
    double longest = 0;       ///< that any has since, of those that entered in this step [m]
    double length = 0;        ///< of its column in the shape [m]
};

/// What came of a cube that is this far along the flow and entered its column's shape in the last `way` before `late`,
/// or, where the source starts, was in it since; nothing if it did not.
std::optional<BroughtPart> what_has_come(const SourceColumn& column, double at, double way, double late,
                                         bool is_starting)
{
    const double now = at - late, before = now - way;
    for (const Chord& c : column.chords)
        if (now > c.enter && before <= (is_starting ? c.leave : c.enter))
            return BroughtPart{{}, before <= c.enter, at - c.enter, way + late, c.leave - c.enter};
    return std::nullopt;
}

bool starts_in(const Source& source, double begin, double time)
{
    return source.start > begin || (begin == time && source.start == time);
}

/// Calls body(part) for the parts of cubes that a source brings in (begin, time], in its own frame.
template <class Body>
void for_emitted(const Source& source, double h, double begin, double time, SourceColumns& known, Body&& body)
{
    const Shape& shape = *source.shape;
    const bool is_starting = starts_in(source, begin, time);
    const FlowAxes lattice(source.velocity);
    const Aabb bounds = placed_bounds(shape.bounds(), {Vec3::Zero(), Quat(Mat3(lattice.axes.transpose()))});
    if (source.velocity.isZero(0)) {
        if (is_starting)
            for_lattice(bounds.dilated(h), bounds.lower, h, [&](const Vec3& site) {
                body({cut_cube(site, h, [&](const Vec3& y) { return shape.distance(y); })});
            });
        return;
    }
    const double flow = lattice.axes.col(lattice.along).dot(source.velocity), speed = std::abs(flow);
    const double late = speed * std::max(time - source.stop, 0.0); // since the source stopped
    const double way = speed * (time - std::max(begin, source.start)) - late;
    const Vec3 drift = flow * (time - source.start) * Vec3::Unit(lattice.along); // columns stay where they are
    Aabb swept = bounds.dilated(h);
    (flow > 0 ? swept.upper : swept.lower)[lattice.along] += (flow > 0 ? 1 : -1) * (way + late);
    ColumnFinder columns(shape, lattice, flow < 0, h, known);
    for_lattice(swept, bounds.lower + drift, h, [&](const Vec3& site) {
        const Vec3 middle = lattice.axes * site;
        const double near = shape.distance(middle);
        if (near >= h + way + late || (!is_starting && near < -h - way - late)) return; // far, or inside before
        const SourceColumn& column = columns.at(site);
        const CubePart part{column.part.share, column.part.centre + middle};
        auto brought = what_has_come(column, columns.way(part.centre) - kNoRoundPlace * h, way, late, is_starting);
        if (!brought) return;
        brought->part = part;
        body(*brought);
    });
}

/// A cube has liquid already where a particle is nearer to its middle than this, in edges: in a pool one always is, and
/// above its surface none.
constexpr double kTakenPlace = 0.95;

/// Liquid that is there before a source starts.
class TakenPlaces {
public:
    TakenPlaces(const std::vector<Vec3>& liquid, const Aabb& box, double reach) : reach_(reach)
    {
        const Aabb wide = box.dilated(reach);
        std::copy_if(liquid.begin(), liquid.end(), std::back_inserter(places_),
                     [&](const Vec3& x) { return wide.contains(x); });
        std::sort(places_.begin(), places_.end(), [](const Vec3& a, const Vec3& b) { return a.x() < b.x(); });
    }
    [[nodiscard]] bool has(const Vec3& x) const
    {
        auto at = std::lower_bound(places_.begin(), places_.end(), x.x() - reach_,
                                   [](const Vec3& place, double lowest) { return place.x() < lowest; });
        for (; at != places_.end() && at->x() <= x.x() + reach_; ++at)
            if ((*at - x).squaredNorm() < reach_ * reach_) return true;
        return false;
    }

private:
    std::vector<Vec3> places_; ///< by x [m]
    double reach_;
};

/// Where a part of a cube is at the end of the step. On a line that begins in a solid it begins where that ends; what
/// would have gone into one since is spread over the way up to it.
Vec3 place_of(const BroughtPart& brought, const ActiveMouths& mouths, const ActiveMouths::Placed& m)
{
    Vec3 x = m.pose.to_world(brought.part.centre);
    if (!brought.has_entered || !m.has_solids) return x;
    const Vec3 along = m.flow.normalized(), begin = x - brought.way * along;
    const double first = mouths.way_out_of_solids(m, begin, brought.length);
    const double room = mouths.way_to_solid(m, begin + first * along, brought.longest);
    if (first >= brought.length || (first == 0 && room >= brought.longest)) return x;
    return mouths.out_of_solids(begin + (first + brought.way * std::min(1.0, room / brought.longest)) * along);
}

void emit(const Model& model, double begin, double time, const ActiveMouths& mouths, const ActiveMouths::Placed& m,
          SourceColumns& known, State& state)
{
    const Source& source = *m.source;
    const double h = lattice_spacing(model);
    auto& account = state.ledger.emitted[static_cast<std::size_t>(source.liquid)];
    const SolidSet solids = solids_at(model, time, 0);
    const TakenPlaces taken(starts_in(source, begin, time) ? state.liquid.position : std::vector<Vec3>(),
                            placed_bounds(source.shape->bounds(), m.pose), kTakenPlace * h);
    for_emitted(source, h, begin, time, known, [&](const BroughtPart& brought) {
        if (brought.part.share == 0) return;
        const Vec3 x = place_of(brought, mouths, m);
        if (!model.domain.box.contains(x) || solids.view().distance(x) < 0 || taken.has(x)) return;
        const double volume = brought.part.share * h * h * h;
        append_particle(model, source.liquid, {x, m.velocity_at(x), Mat3::Zero(), volume}, state);
        account.add(volume);
    });
}

/// Calls body(particle) for those that a source drives.
template <class Body>
void for_mouth(const ActiveMouths& mouths, const ActiveMouths::Placed& m, const LiquidParticles& liquid, Body&& body)
{
    parallel_for(
        liquid.size(), "drive sources",
        [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            if (mouths.drives(m, liquid.position[p])) body(p);
        },
        4096);
}

/// A particle moves as the source says.
void drive(const Vec3& velocity, std::size_t p, LiquidParticles& liquid)
{
    liquid.velocity[p] = velocity;
    liquid.lead[p].setZero();
    liquid.affine[p].setZero();
}

} // namespace

void emit_sources(const Model& model, double begin, double time, State& state, std::vector<SourceColumns>& known)
{
    known.resize(model.sources.size());
    const ActiveMouths mouths(model, begin, time);
    for (const ActiveMouths::Placed& m : mouths.all()) {
        emit(model, begin, time, mouths, m, known[m.number], state);
        if (!is_active(m.source->start, m.source->stop, time)) continue;
        for_mouth(mouths, m, state.liquid,
                  [&](std::size_t p) { drive(m.velocity_at(state.liquid.position[p]), p, state.liquid); });
    }
}

DrivenParticles lead_driven(const Model& model, double time, double dt, State& state)
{
    LiquidParticles& l = state.liquid;
    DrivenParticles driven;
    const ActiveMouths mouths(model, time, time);
    for (const ActiveMouths::Placed& m : mouths.all()) {
        driven.source.resize(l.position.size(), -1);
        for_mouth(mouths, m, l, [&](std::size_t p) {
            const Vec3 given = m.velocity_at(l.position[p]);
            l.lead[p] = (given - l.velocity[p] + 0.5 * dt * (l.affine[p] * l.velocity[p])).template cast<float>();
            driven.source[p] = static_cast<std::int32_t>(m.number);
        });
    }
    return driven;
}

void let_go(const Model& model, const DrivenParticles& driven, double time, State& state)
{
    parallel_for(
        static_cast<std::int64_t>(driven.source.size()), "let go",
        [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            if (driven.source[p] < 0) return;
            const Source& source = model.sources[static_cast<std::size_t>(driven.source[p])];
            const Pose pose = source.motion.pose(time);
            const Vec3 moved = source.motion.twist(time).velocity_at(state.liquid.position[p], pose);
            drive(pose.rotation * source.velocity + moved, p, state.liquid);
        },
        4096);
}

void remove_drained(const Model& model, std::vector<std::uint8_t>& drained, State& state)
{
    enum Fate : std::uint8_t { Drained = 2, Left = 0, Kept = 1 };
    const auto& walls = model.domain.walls;
    if (drained.empty() && std::all_of(walls.begin(), walls.end(), [](Wall w) { return w == Wall::Closed; })) return;
    std::vector<std::uint8_t> fate(static_cast<std::size_t>(state.liquid.size()), Kept);
    parallel_for(
        state.liquid.size(), "find drained",
        [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            const Vec3& x = state.liquid.position[p];
            for (int w = 0; w < 6; ++w) {
                if (model.domain.walls[static_cast<std::size_t>(w)] == Wall::Closed) continue;
                const int a = w / 2;
                if (w % 2 == 0 ? x[a] < model.domain.box.lower[a] : x[a] > model.domain.box.upper[a]) fate[p] = Left;
            }
            if (!drained.empty() && drained[p] != 0) fate[p] = Drained;
        },
        4096);
    bool any = false;
    for (std::size_t p = 0; p < fate.size(); ++p) {
        if (fate[p] == Kept) continue;
        any = true;
        const auto l = static_cast<std::size_t>(state.liquid.liquid[p]);
        (fate[p] == Drained ? state.ledger.drained : state.ledger.left)[l].add(state.liquid.volume[p]);
        fate[p] = Left;
    }
    if (any) remove_particles(fate, state.liquid);
    drained.clear();
}

double source_volume(const Model& model, const Source& source, double duration)
{
    const Aabb box = source.shape->bounds();
    const double h = coarse_spacing(box, lattice_spacing(model)), speed = source.velocity.norm();
    double volume = 0; // that the shape is filled with first
    for_lattice(box.dilated(h), box.lower, h, [&](const Vec3& y) {
        volume += h * h * h * cut_cube(y, h, [&](const Vec3& x) { return source.shape->distance(x); }).share;
    });
    if (speed == 0) return volume;
    const FlowAxes lattice(source.velocity);
    SourceColumns known;
    ColumnFinder columns(*source.shape, lattice, false, h, known);
    Aabb mouth = placed_bounds(box, {Vec3::Zero(), Quat(Mat3(lattice.axes.transpose()))}).dilated(h);
    mouth.lower[lattice.along] = -0.5 * h; // one cube of every column
    mouth.upper[lattice.along] = 0.5 * h;
    for_lattice(mouth, mouth.lower, h,
                [&](const Vec3& site) { volume += h * h * columns.at(site).part.share * speed * duration; });
    return volume;
}

} // namespace rivulet
