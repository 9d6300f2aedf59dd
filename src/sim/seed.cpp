#include "sim/seed.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "fluid/solids.h"
#include "sim/obstacles.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace rivulet {
namespace {

Aabb intersection(const Aabb& a, const Aabb& b) { return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)}; }

/// World box around a placed shape.
Aabb placed_bounds(const Aabb& box, const Pose& pose)
{
    Aabb result;
    for (int n = 0; n < 8; ++n) {
        const Vec3 corner((n & 1) != 0 ? box.upper.x() : box.lower.x(), (n & 2) != 0 ? box.upper.y() : box.lower.y(),
                          (n & 4) != 0 ? box.upper.z() : box.lower.z());
        result.include(pose.to_world(corner));
    }
    return result;
}

/// Calls body(site) for every point of the lattice origin + h (n + 1/2) in a box, z slowest.
template <class Body>
void for_lattice(const Aabb& box, const Vec3& origin, double h, Body&& body)
{
    if (box.is_empty()) return;
    const Vec3 first = ((box.lower - origin) / h - Vec3::Constant(0.5)).array().ceil();
    const Vec3 last = ((box.upper - origin) / h - Vec3::Constant(0.5)).array().floor();
    for (double k = first.z(); k <= last.z(); ++k)
        for (double j = first.y(); j <= last.y(); ++j)
            for (double i = first.x(); i <= last.x(); ++i) body(Vec3(origin + h * Vec3(i + 0.5, j + 0.5, k + 0.5)));
}

Mat3 spin_matrix(const Vec3& w)
{
    Mat3 m;
    m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
    return m;
}

/// Velocity of a body's liquid at r from its position, and its gradient.
struct Flow {
    Vec3 velocity;
    Mat3 gradient;
};

Flow flow_at(const LiquidBody& body, const Vec3& r)
{
    Flow flow{body.velocity + body.angular_velocity.cross(r), spin_matrix(body.angular_velocity)};
    if (body.vortex_speed == 0) return flow;
    const double k = std::numbers::pi / body.vortex_size, speed = body.vortex_speed;
    const double sx = std::sin(k * r.x()), cx = std::cos(k * r.x()), sy = std::sin(k * r.y()), cy = std::cos(k * r.y());
    flow.velocity += speed * Vec3(sx * cy, -cx * sy, 0);
    flow.gradient.topLeftCorner<2, 2>() +=
        k * speed * (Eigen::Matrix2d() << cx * cy, -sx * sy, sx * sy, -cx * cy).finished();
    return flow;
}

double lattice_spacing(const Model& model) { return model.options.cell_size / kParticlesPerEdge; }

/// Gives the particles from `first` on the lead of a flow that is steady where one moves along with
/// their mean velocity: l = (u - u one step earlier) / 2.
void lead_steady_flow(double dt, std::size_t first, LiquidParticles& l)
{
    Vec3 mean = Vec3::Zero();
    double volume = 0;
    for (std::size_t p = first; p < l.velocity.size(); ++p) {
        volume += l.volume[p];
        mean += l.volume[p] / volume * (l.velocity[p] - mean);
    }
    for (std::size_t p = first; p < l.velocity.size(); ++p) {
        const Vec3 way = dt * (l.velocity[p] - mean);
        l.lead[p] = (0.5 * l.affine[p] * (way - 0.5 * dt * (l.affine[p] * way))).cast<float>();
    }
}

bool is_active(double start, double stop, double time) { return time >= start && time < stop; }

} // namespace

void append_particle(const Model& model, int liquid, const NewParticle& p, State& state)
{
    LiquidParticles& l = state.liquid;
    l.position.push_back(p.position);
    l.lead.emplace_back((0.5 * p.change).cast<float>());
    l.velocity.push_back(p.velocity - 2 * l.lead.back().cast<double>()); // a step old, as that of all others
    l.affine.push_back(p.affine);
    l.volume.push_back(p.volume);
    l.pressure.push_back(0);
    l.colour.emplace_back(model.liquids[static_cast<std::size_t>(liquid)].colour.cast<float>());
    l.liquid.push_back(liquid);
    l.id.push_back(state.next_id++);
}

void remove_particles(const std::vector<std::uint8_t>& keep, LiquidParticles& particles)
{
    visit_particles(particles, [&](const char*, const char*, auto& values) {
        std::size_t n = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (keep[i] != 0) values[n++] = values[i];
        values.resize(n);
    });
}

void seed_body(const Model& model, const LiquidBody& body, std::span<const LiquidBody> earlier, State& state)
{
    const double h = lattice_spacing(model);
    const Aabb& domain = model.domain.box;
    const SolidSet solids = solids_at(model, 0, 0);
    const auto to_body = [](const LiquidBody& b, const Vec3& x) { return b.shape->distance(b.pose.to_body(x)); };
    const auto distance = [&](const Vec3& x) {
        double d = std::max({to_body(body, x), -solids.view().distance(x), (domain.lower - x).maxCoeff(),
                             (x - domain.upper).maxCoeff()});
        for (const LiquidBody& other : earlier) d = std::max(d, -to_body(other, x));
        return d;
    };
    const std::size_t first = state.liquid.position.size();
    auto& account = state.ledger.initial[static_cast<std::size_t>(body.liquid)];
    const Aabb box = intersection(placed_bounds(body.shape->bounds(), body.pose), domain).dilated(h);
    for_lattice(box, domain.lower, h, [&](const Vec3& site) {
        const CubePart part = cut_cube(site, h, distance);
        if (part.share == 0 || distance(part.centre) > 0) return; // beside an edge: what is rounded off it
        Vec3 x = part.centre;
        if (body.jitter)
            for (int a = 0; a < 3; ++a)
                x[a] += 0.5 * part.share * h *
                        (random_unit(model.options.seed, static_cast<std::uint64_t>(state.next_id),
                                     static_cast<std::uint64_t>(a)) -
                         0.5);
        const Flow flow = flow_at(body, x - body.pose.position);
        append_particle(model, body.liquid, {x, flow.velocity, flow.gradient, part.share * h * h * h}, state);
        account.add(part.share * h * h * h);
    });
    lead_steady_flow(model.options.max_step, first, state.liquid);
}

namespace {

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
            const Vec3 middle = lattice_.axes * site;
            found->second = cut_cube(middle, h_, [this](const Vec3& x) { return line_distance(x); });
            found->second.centre -= middle;
        }
        return found->second;
    }

private:
    /// Least distance to the shape on the line along the flow through x.
    [[nodiscard]] double line_distance(const Vec3& x) const
    {
        const Vec3 flow = lattice_.axes.col(lattice_.along);
        const Aabb box = shape_.bounds();
        const Vec3 middle = x + flow.dot(box.centre() - x) * flow;
        const double reach = 0.5 * box.size().norm(), step = 0.5 * h_;
        double least = shape_.distance(middle);
        for (double s = step; s <= reach; s += step)
            least = std::min({least, shape_.distance(middle - s * flow), shape_.distance(middle + s * flow)});
        return least;
    }

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

namespace {

/// A lattice spacing that is fine enough for an estimate, whatever the size of the box.
double coarse_spacing(const Aabb& box, double finest) { return std::max(finest, std::cbrt(box.size().prod() / 1e5)); }

} // namespace

double body_volume(const Model& model, const LiquidBody& body)
{
    const Aabb box = intersection(placed_bounds(body.shape->bounds(), body.pose), model.domain.box);
    if (box.is_empty()) return 0;
    const double h = coarse_spacing(box, lattice_spacing(model));
    const SolidSet solids = solids_at(model, 0, 0);
    double volume = 0;
    for_lattice(box, box.lower, h, [&](const Vec3& x) {
        if (body.shape->distance(body.pose.to_body(x)) < 0 && solids.view().distance(x) > 0) volume += h * h * h;
    });
    return volume;
}

double source_volume(const Model& model, const Source& source, double duration)
{
    const Aabb box = source.shape->bounds();
    const double h = coarse_spacing(box, lattice_spacing(model));
    const double speed = source.velocity.norm();
    const Vec3 back = speed > 0 ? Vec3(source.velocity / speed * h) : Vec3::Zero();
    double filled = 0;
    double entering = 0; // while the lattice moves by h
    for_lattice(box, box.lower, h, [&](const Vec3& y) {
        if (source.shape->distance(y) >= 0) return;
        filled += h * h * h;
        if (speed > 0 && source.shape->distance(y - back) >= 0) entering += h * h * h;
    });
    return filled + entering * speed * duration / h;
}

} // namespace rivulet
