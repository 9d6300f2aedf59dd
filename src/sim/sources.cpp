#include "sim/sources.h"

#include "base/parallel.h"
#include "fluid/solids.h"
#include "sim/mouth.h"
#include "sim/obstacles.h"
#include "sim/seed_lattice.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace rivulet {
namespace {

/// Cubes count as in a mouth so far behind its surface, in edges of theirs: one that ends a step just there, as it
/// would again and again where thickness, speed and step are round numbers, might be counted twice by rounding.
constexpr double kNoRoundPlace = 0.00618034;

/// Whether a cube that is this far along the flow entered its column's shape in the last `way` before `late`, or, where
/// the source starts, was in it since.
bool has_come(const SourceColumn& column, double at, double way, double late, bool is_starting)
{
    const double now = at - late, before = now - way;
    return std::any_of(column.chords.begin(), column.chords.end(),
                       [&](const Chord& c) { return now > c.enter && before <= (is_starting ? c.leave : c.enter); });
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
                body(cut_cube(site, h, [&](const Vec3& y) { return shape.distance(y); }));
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
        if (has_come(column, columns.way(part.centre) - kNoRoundPlace * h, way, late, is_starting)) body(part);
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

void emit(const Model& model, const Source& source, double begin, double time, SourceColumns& known, State& state)
{
    const double h = lattice_spacing(model);
    const Pose pose = source.motion.pose(time);
    const Twist twist = source.motion.twist(time);
    auto& account = state.ledger.emitted[static_cast<std::size_t>(source.liquid)];
    const SolidSet solids = solids_at(model, time, 0);
    const TakenPlaces taken(starts_in(source, begin, time) ? state.liquid.position : std::vector<Vec3>(),
                            placed_bounds(source.shape->bounds(), pose), kTakenPlace * h);
    for_emitted(source, h, begin, time, known, [&](const CubePart& part) {
        const Vec3 x = pose.to_world(part.centre);
        if (part.share == 0 || !model.domain.box.contains(x) || solids.view().distance(x) < 0 || taken.has(x)) return;
        const double volume = part.share * h * h * h;
        append_particle(model, source.liquid,
                        {x, pose.rotation * source.velocity + twist.velocity_at(x, pose), Mat3::Zero(), volume}, state);
        account.add(volume);
    });
}

/// Calls body(particle) for those that a source drives.
template <class Body>
void for_mouth(const Model& model, const Source& source, double time, const LiquidParticles& liquid, Body&& body)
{
    const Pose pose = source.motion.pose(time);
    const Mouth mouth(source, model.options.cell_size);
    parallel_for(
        liquid.size(), "drive sources",
        [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            if (mouth.holds(pose.to_body(liquid.position[p]))) body(p);
        },
        4096);
}

/// Velocity that a source gives to liquid at x.
Vec3 driven_velocity(const Source& source, double time, const Vec3& x)
{
    const Pose pose = source.motion.pose(time);
    return pose.rotation * source.velocity + source.motion.twist(time).velocity_at(x, pose);
}

/// A particle moves as the source says.
void drive(const Source& source, double time, std::size_t p, LiquidParticles& liquid)
{
    liquid.velocity[p] = driven_velocity(source, time, liquid.position[p]);
    liquid.lead[p].setZero();
    liquid.affine[p].setZero();
}

/// All liquid that is inside of its mouth does.
void drive_mouth(const Model& model, const Source& source, double time, State& state)
{
    for_mouth(model, source, time, state.liquid, [&](std::size_t p) { drive(source, time, p, state.liquid); });
}

} // namespace

void emit_sources(const Model& model, double begin, double time, State& state, std::vector<SourceColumns>& known)
{
    known.resize(model.sources.size());
    for (std::size_t n = 0; n < model.sources.size(); ++n) {
        const Source& source = model.sources[n];
        if (source.start <= time && source.stop > begin) emit(model, source, begin, time, known[n], state);
        if (is_active(source.start, source.stop, time)) drive_mouth(model, source, time, state);
    }
}

DrivenParticles lead_driven(const Model& model, double time, double dt, State& state)
{
    LiquidParticles& l = state.liquid;
    DrivenParticles driven;
    for (std::size_t n = 0; n < model.sources.size(); ++n) {
        const Source& source = model.sources[n];
        if (!is_active(source.start, source.stop, time)) continue;
        driven.source.resize(l.position.size(), -1);
        for_mouth(model, source, time, l, [&](std::size_t p) {
            const Vec3 given = driven_velocity(source, time, l.position[p]);
            l.lead[p] = (given - l.velocity[p] + 0.5 * dt * (l.affine[p] * l.velocity[p])).template cast<float>();
            driven.source[p] = static_cast<std::int32_t>(n);
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
            drive(source, time, p, state.liquid);
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
