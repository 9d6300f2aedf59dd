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

bool is_active(double start, double stop, double time) { return time >= start && time < stop; }

/// Directions of a source's lattice: the body's axes, or others with the third along the flow where that is along none.
struct FlowAxes {
    Mat3 axes = Mat3::Identity();
    int along = 2; ///< the one that the liquid flows along

    explicit FlowAxes(const Vec3& velocity)
    {
        const double most = velocity.cwiseAbs().maxCoeff(&along);
        if ((velocity - velocity[along] * Vec3::Unit(along)).norm() <= 1e-9 * most) return;
        const Vec3 flow = velocity.normalized(), side = flow.unitOrthogonal();
        axes << side, flow.cross(side), flow;
        along = 2;
    }
};

/// Finds and keeps the columns of a source.
class Columns {
public:
    Columns(const Shape& shape, const FlowAxes& lattice, double h, SourceColumns& known)
        : shape_(shape), lattice_(lattice), h_(h), parts_(known.parts)
    {
    }

    /// Of the cube at this place of the lattice, its centre as seen from the cube's middle.
    CubePart at(const Vec3& site)
    {
        const auto [found, is_new] =
            parts_.try_emplace({site[(lattice_.along + 1) % 3], site[(lattice_.along + 2) % 3]});
        if (is_new) {
            Vec3 on_column = site; // whichever of its cubes comes first, also after a resume
            on_column[lattice_.along] = 0;
            const Vec3 middle = lattice_.axes * on_column;
            found->second = cut_cube(middle, h_, [this](const Vec3& x) { return line_distance(x); });
            found->second.centre -= middle;
        }
        return found->second;
    }

private:
    /// Least distance to the shape on the line along the flow through x: looked for at places half a cube apart, then
    /// beside the nearest of them, since mouths may be thinner than that.
    [[nodiscard]] double line_distance(const Vec3& x) const
    {
        const Vec3 flow = lattice_.axes.col(lattice_.along);
        const Aabb box = shape_.bounds();
        const Vec3 middle = x + flow.dot(box.centre() - x) * flow;
        const double reach = 0.5 * box.size().norm();
        double least = shape_.distance(middle), nearest = 0;
        const auto look_at = [&](double s) {
            const double d = shape_.distance(middle + s * flow);
            if (d < least) {
                least = d;
                nearest = s;
            }
        };
        double step = 0.5 * h_;
        for (double s = step; s <= reach; s += step) {
            look_at(-s);
            look_at(s);
        }
        for (int level = 0; level < kLineLevels; ++level) {
            step *= 0.5;
            const double around = nearest;
            look_at(around - step);
            look_at(around + step);
        }
        return least;
    }

    static constexpr int kLineLevels = 6;
    const Shape& shape_;
    const FlowAxes& lattice_;
    double h_;
    std::map<std::pair<double, double>, CubePart>& parts_;
};

void emit(const Model& model, const Source& source, double time, double dt, SourceColumns& known, State& state)
{
    const double h = lattice_spacing(model);
    const Pose pose = source.motion.pose(time);
    const Twist twist = source.motion.twist(time);
    const bool starting = source.start > time - dt || (dt == 0 && source.start == time);
    const Vec3 way = dt * source.velocity;
    if (!starting && way.isZero(0)) return;
    const Shape& shape = *source.shape;
    const auto distance = [&](const Vec3& y) { return shape.distance(y); };
    const FlowAxes lattice(source.velocity);
    Columns columns(shape, lattice, h, known);
    const Aabb bounds = placed_bounds(shape.bounds(), {Vec3::Zero(), Quat(Mat3(lattice.axes.transpose()))});
    const double flow = lattice.axes.col(lattice.along).dot(source.velocity);
    const Vec3 drift = flow * (time - source.start) * Vec3::Unit(lattice.along); // columns stay where they are
    auto& account = state.ledger.emitted[static_cast<std::size_t>(source.liquid)];
    const SolidSet solids = solids_at(model, time, 0);
    for_lattice(bounds.dilated(h), bounds.lower + drift, h, [&](const Vec3& site) {
        const Vec3 middle = lattice.axes * site;
        const double near = distance(middle);
        if (near >= h || (!starting && near < -h - way.norm())) return; // not there yet, or was inside already
        CubePart part;
        if (source.velocity.isZero(0)) {
            part = cut_cube(middle, h, distance);
        } else {
            part = columns.at(site);
            part.centre += middle;
            if (!(distance(part.centre) < 0) || (!starting && distance(part.centre - way) < 0)) return;
        }
        const Vec3 x = pose.to_world(part.centre);
        if (part.share == 0 || !model.domain.box.contains(x) || solids.view().distance(x) < 0) return;
        const double volume = part.share * h * h * h;
        append_particle(model, source.liquid,
                        {x, pose.rotation * source.velocity + twist.velocity_at(x, pose), Mat3::Zero(), volume}, state);
        account.add(volume);
    });
}

/// Calls body(particle) for those inside of a source's mouth.
template <class Body>
void for_mouth(const Source& source, double time, const LiquidParticles& liquid, Body&& body)
{
    const Pose pose = source.motion.pose(time);
    const Aabb bounds = source.shape->bounds();
    parallel_for(
        liquid.size(), "drive sources",
        [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            const Vec3 y = pose.to_body(liquid.position[p]);
            if (bounds.contains(y) && source.shape->distance(y) < 0) body(p);
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
void drive_mouth(const Source& source, double time, State& state)
{
    for_mouth(source, time, state.liquid, [&](std::size_t p) {
        state.liquid.velocity[p] = driven_velocity(source, time, state.liquid.position[p]);
        state.liquid.lead[p].setZero();
        state.liquid.affine[p].setZero();
    });
}

} // namespace

void emit_sources(const Model& model, double time, double dt, State& state, std::vector<SourceColumns>& known)
{
    known.resize(model.sources.size());
    for (std::size_t n = 0; n < model.sources.size(); ++n) {
        const Source& source = model.sources[n];
        if (!is_active(source.start, source.stop, time)) continue;
        emit(model, source, time, dt, known[n], state);
        drive_mouth(source, time, state);
    }
}

void forget_driven(const Model& model, double time, double dt, State& state)
{
    LiquidParticles& l = state.liquid;
    for (const Source& source : model.sources)
        if (is_active(source.start, source.stop, time))
            for_mouth(source, time, l, [&](std::size_t p) {
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
        const Aabb bounds = source.shape->bounds();
        const Vec3 middle = pose.to_world(bounds.centre());
        const double reach = 0.5 * bounds.size().norm() + kTileEdge * grid.cell_size();
        parallel_for(grid.n_tiles(), "drive faces", [&](std::int64_t ti) {
            const int t = static_cast<int>(ti);
            if ((grid.node(t, 4, 4, 4) - middle).norm() > reach) return;
            for (std::size_t a = 0; a < 3; ++a)
                for (int c = 0; c < kTileCells; ++c) {
                    Vec3 at = Vec3(c % 8, c / 8 % 8, c / 64) + Vec3::Constant(0.5);
                    at[static_cast<int>(a)] -= 0.5;
                    const Vec3 x = grid.node(t, at.x(), at.y(), at.z());
                    if (!(source.shape->distance(pose.to_body(x)) < 0.5 * grid.cell_size())) continue;
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
    Columns columns(*source.shape, lattice, h, known);
    Aabb mouth = placed_bounds(box, {Vec3::Zero(), Quat(Mat3(lattice.axes.transpose()))}).dilated(h);
    mouth.lower[lattice.along] = -0.5 * h; // one cube of every column
    mouth.upper[lattice.along] = 0.5 * h;
    for_lattice(mouth, mouth.lower, h,
                [&](const Vec3& site) { volume += h * h * columns.at(site).share * speed * duration; });
    return volume;
}

} // namespace rivulet
