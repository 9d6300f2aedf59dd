#include "sim/seed.h"

#include "base/rng.h"
#include "fluid/solids.h"
#include "sim/obstacles.h"
#include "sim/seed_lattice.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

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
        double d = std::max({to_body(body, x), -solids.view().distance(x), box_distance(domain, x)});
        for (const LiquidBody& other : earlier) d = std::max(d, -to_body(other, x));
        return d;
    };
    const std::size_t first = state.liquid.position.size();
    auto& account = state.ledger.initial[static_cast<std::size_t>(body.liquid)];
    const Aabb box = intersection(placed_bounds(body.shape->bounds(), body.pose), domain).dilated(h);
    for_lattice(box, domain.lower, h, [&](const Vec3& site) {
        const CubePart part = liquid_part(site, h, distance);
        if (part.share == 0) return;
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

double body_volume(const Model& model, const LiquidBody& body)
{
    const Aabb& domain = model.domain.box;
    const Aabb box = intersection(placed_bounds(body.shape->bounds(), body.pose), domain);
    if (box.is_empty()) return 0;
    const double h = coarse_spacing(box, lattice_spacing(model));
    const SolidSet solids = solids_at(model, 0, 0);
    const auto distance = [&](const Vec3& x) {
        return std::max(
            {body.shape->distance(body.pose.to_body(x)), -solids.view().distance(x), box_distance(domain, x)});
    };
    double volume = 0;
    for_lattice(box.dilated(h), box.lower, h,
                [&](const Vec3& x) { volume += h * h * h * liquid_part(x, h, distance).share; });
    return volume;
}

} // namespace rivulet
