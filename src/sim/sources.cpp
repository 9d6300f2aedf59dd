#include "sim/sources.h"

#include "base/parallel.h"
#include "fluid/solids.h"
#include "sim/obstacles.h"
#include "sim/seed_lattice.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rivulet {
namespace {

/// Cubes count as in a mouth so far behind its surface, in edges of theirs: one that ends a step just there, as it
/// would again and again where thickness, speed and step are round numbers, might be counted twice by rounding.
constexpr double kNoRoundPlace = 0.00618034;

/// A mouth that is thinner along the flow than a cell drives what has left it for so many cells: what enters at a wall
/// would be held back there, since no face of the grid is inside of the mouth, and the next would come on top of it.
constexpr double kDrivenCells = 3;

bool is_active(double start, double stop, double time) { return time >= start && time < stop; }

/// Whether a cube that is this far along the flow entered its column's shape in the last `way` before `late`, or, where
/// the source starts, was in it since.
bool has_come(const SourceColumn& column, double at, double way, double late, bool is_starting)
{
    const double now = at - late, before = now - way;
    return std::any_of(column.chords.begin(), column.chords.end(),
                       [&](const Chord& c) { return now > c.enter && before <= (is_starting ? c.leave : c.enter); });
}

/// Calls body(part) for the parts of cubes that a source brings in (begin, time], in its own frame.
template <class Body>
void for_emitted(const Source& source, double h, double begin, double time, SourceColumns& known, Body&& body)
{
    const Shape& shape = *source.shape;
    const bool is_starting = source.start > begin || (begin == time && source.start == time);
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

void emit(const Model& model, const Source& source, double begin, double time, SourceColumns& known, State& state)
{
    const double h = lattice_spacing(model);
    const Pose pose = source.motion.pose(time);
    const Twist twist = source.motion.twist(time);
    auto& account = state.ledger.emitted[static_cast<std::size_t>(source.liquid)];
    const SolidSet solids = solids_at(model, time, 0);
    for_emitted(source, h, begin, time, known, [&](const CubePart& part) {
        const Vec3 x = pose.to_world(part.centre);
        if (part.share == 0 || !model.domain.box.contains(x) || solids.view().distance(x) < 0) return;
        const double volume = part.share * h * h * h;
        append_particle(model, source.liquid,
                        {x, pose.rotation * source.velocity + twist.velocity_at(x, pose), Mat3::Zero(), volume}, state);
        account.add(volume);
    });
}

/// Where a source says how liquid moves, in its own frame: in its mouth and, if that is thin, beyond it.
class DrivenRegion {
public:
    DrivenRegion(const Source& source, double cell_size) : shape_(*source.shape), bounds_(shape_.bounds())
    {
        if (source.velocity.isZero(0)) return;
        flow_ = source.velocity.normalized();
        const bool is_thin = flow_.cwiseAbs().dot(bounds_.size()) < (1 - 1e-9) * cell_size;
        length_ = is_thin ? kDrivenCells * cell_size : 0;
        least_ = 1e-3 * cell_size;
        bounds_ = bounds_.dilated(length_);
    }

    [[nodiscard]] const Aabb& bounds() const { return bounds_; }
    /// Whether a place, or one upstream of it, is nearer to the mouth than `within`: looks along the flow in strides
    /// that cannot miss it.
    [[nodiscard]] bool holds(const Vec3& y, double within) const
    {
        if (!bounds_.dilated(within).contains(y)) return false;
        for (double back = 0; back <= length_;) {
            const double d = shape_.distance(y - back * flow_) - within;
            if (d < 0) return true;
            back += std::max(d, least_);
        }
        return false;
    }

private:
    const Shape& shape_;
    Aabb bounds_;
    Vec3 flow_ = Vec3::Zero();
    double length_ = 0, least_ = 1; ///< [m]
};

/// Calls body(particle) for those that a source drives.
template <class Body>
void for_mouth(const Model& model, const Source& source, double time, const LiquidParticles& liquid, Body&& body)
{
    const Pose pose = source.motion.pose(time);
    const DrivenRegion mouth(source, model.options.cell_size);
    parallel_for(
        liquid.size(), "drive sources",
        [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            if (mouth.holds(pose.to_body(liquid.position[p]), 0)) body(p);
        },
        4096);
}

/// Velocity that a source gives to liquid at x.
Vec3 driven_velocity(const Source& source, double time, const Vec3& x)
{
    const Pose pose = source.motion.pose(time);
    return pose.rotation * source.velocity + source.motion.twist(time).velocity_at(x, pose);
}

/// Liquid of the source that is still inside of its mouth moves as the source says.
void drive_mouth(const Model& model, const Source& source, double time, State& state)
{
    for_mouth(model, source, time, state.liquid, [&](std::size_t p) {
        state.liquid.velocity[p] = driven_velocity(source, time, state.liquid.position[p]);
        state.liquid.lead[p].setZero();
        state.liquid.affine[p].setZero();
    });
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

void forget_driven(const Model& model, double time, double dt, State& state)
{
    LiquidParticles& l = state.liquid;
    for (const Source& source : model.sources)
        if (is_active(source.start, source.stop, time))
            for_mouth(model, source, time, l, [&](std::size_t p) {
                const Vec3 driven = driven_velocity(source, time, l.position[p]);
                l.lead[p] = (driven - l.velocity[p] + 0.5 * dt * (l.affine[p] * l.velocity[p])).template cast<float>();
            });
}

bool drive_faces(const Model& model, double time, const TileGrid& grid, std::array<std::vector<double>, 3>& velocity,
                 std::array<std::vector<std::uint8_t>, 3>& driven)
{
    for (auto& d : driven) d.clear();
    for (const Source& source : model.sources) {
        if (!is_active(source.start, source.stop, time)) continue;
        for (auto& d : driven) d.resize(grid.field_size(), 0);
        const Pose pose = source.motion.pose(time);
        const Twist twist = source.motion.twist(time);
        const Vec3 flow = pose.rotation * source.velocity;
        const DrivenRegion mouth(source, grid.cell_size());
        const Vec3 middle = pose.to_world(mouth.bounds().centre());
        const double reach = 0.5 * mouth.bounds().size().norm() + kTileEdge * grid.cell_size();
        parallel_for(grid.n_tiles(), "drive faces", [&](std::int64_t ti) {
            const int t = static_cast<int>(ti);
            if ((grid.node(t, 4, 4, 4) - middle).norm() > reach) return;
            for (std::size_t a = 0; a < 3; ++a)
                for (int c = 0; c < kTileCells; ++c) {
                    Vec3 at = Vec3(c % 8, c / 8 % 8, c / 64) + Vec3::Constant(0.5);
                    at[static_cast<int>(a)] -= 0.5;
                    const Vec3 x = grid.node(t, at.x(), at.y(), at.z());
                    if (!mouth.holds(pose.to_body(x), 0.5 * grid.cell_size())) continue;
                    const auto face = static_cast<std::size_t>(t * kTileCells + c);
                    velocity[a][face] = flow[static_cast<int>(a)] + twist.velocity_at(x, pose)[static_cast<int>(a)];
                    driven[a][face] = 1;
                }
        });
    }
    return !driven[0].empty();
}

void remove_drained(const Model& model, double time, State& state)
{
    enum Fate : std::uint8_t { Drained = 2, Left = 0, Kept = 1 };
    const auto& walls = model.domain.walls;
    if (model.drains.empty() && std::all_of(walls.begin(), walls.end(), [](Wall w) { return w == Wall::Closed; }))
        return;
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
            for (const Drain& drain : model.drains)
                if (is_active(drain.start, drain.stop, time) &&
                    drain.shape->distance(drain.motion.pose(time).to_body(x)) < 0)
                    fate[p] = Drained;
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
