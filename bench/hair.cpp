#include "hair.h"

#include "base/rng.h"
#include "geometry/shapes.h"
#include "scene/groom.h"
#include "scene/strand_patterns.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

RodMaterial human_hair()
{
    return {.density = 1300, .youngs_modulus = 3.9e9, .shear_modulus = 1.4e9, .radius_a = 35e-6, .radius_b = 35e-6};
}

/// Holds the first edge of the strand that begins here.
void clamp_root(Model& model, std::int32_t vertex)
{
    const StrandState& state = model.strands_at_start;
    const Pose pose = model.obstacles[0].motion.pose(0);
    for (const std::int32_t v : {vertex, vertex + 1}) {
        const auto k = static_cast<std::size_t>(v);
        StrandPin pin{.vertex = v, .body = 0, .position = pose.to_body(state.position[k])};
        pin.clamps_edge = v == vertex;
        pin.director = pose.rotation.conjugate() * state.director[k];
        model.strands.pins.push_back(pin);
    }
}

} // namespace

FourHairs::FourHairs(int n) : system(n)
{
    constexpr double kEdge = 5e-3, kStep = 1e-3, kCurl = 0.3;
    const RodMaterial m = human_hair();
    std::uint64_t counter = 0;
    const auto random = [&] {
        Lane v{};
        for (int l = 0; l < kStrandLanes; ++l) v[l] = 2 * random_unit(5, 1, counter++) - 1;
        return v;
    };
    const auto random_vector = [&] { return LaneVec3{random(), random(), random()}; };
    const auto set = [](auto& lane, double value) { lane = spread(value); };
    system.h = kStep;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        set(system.mass[k], m.density * m.area() * kEdge);
        set(system.inertia[k], 0.5 * m.density * m.area() * kEdge * m.radius_a * m.radius_a);
        set(system.free[k], 1);
        set(system.free_spin[k], k + 1 < static_cast<std::size_t>(n) ? 1 : 0);
        const double angle = kCurl * static_cast<double>(k);
        const LaneVec3 along{spread(1.0), spread(0.5 * std::cos(angle)), spread(0.5 * std::sin(angle))};
        system.edge[k] = (kEdge / norm(along)) * along;
        const LaneVec3 across = cross(along, random_vector());
        system.director[k] = (1.0 / norm(across)) * across;
        system.stretch[k] = {spread(m.youngs_modulus * m.area() * kEdge), spread(1 / kEdge), Lane{}};
        for (Lane& w : system.bend[k].weight) set(w, m.youngs_modulus * m.bending_moment_1() / (2 * kEdge));
        set(system.bend[k].twist_weight, m.shear_modulus * m.torsion_moment() / kEdge);
    }
    system.prepare();
    configuration.resize(n);
    for (LaneVec3& u : configuration.u) u = 1e-9 * random_vector();
    for (Lane& s : configuration.spin) s = 1e-2 * random();
    configure(system, configuration);
    for (std::size_t k = 1; k + 1 < static_cast<std::size_t>(n); ++k) // all but at rest: a minimum is near
        for (int a = 0; a < 4; ++a) system.bend[k].rest[a] = 0.98 * configuration.bend[k].kappa[a];
}

Model head_of_hair(std::int64_t n_strands, int n_vertices, StrandContactLaw contact)
{
    Model m;
    m.options.strand_contact = contact;
    m.options.frame_interval = 1;
    m.domain.box = {Vec3(-0.5, -0.5, 0), Vec3(0.5, 0.5, 0.9)};
    Obstacle head;
    head.name = "head";
    head.shape = make_ellipsoid(Vec3::Zero(), Vec3(0.075, 0.09, 0.11));
    head.motion.keyframes = {{0, {0, 0, 0.5}, {0, 0, 0}, Easing::In}, {0.25, {0, -0.12, 0.42}, {1.3, 0, 0}}};
    m.obstacles.push_back(head);
    const ShapePtr region = make_box(Vec3(-0.2, -0.03, 0.01), Vec3(0.2, 0.2, 0.2));
    const RootSampler roots(*head.shape, region.get(), 1);
    Groom groom;
    groom.n_vertices = n_vertices;
    groom.length = 0.26;
    groom.length_variation = 0.05;
    groom.curl_radius = 2e-3;
    groom.curl_pitch = 0.07;
    const Pose pose = head.motion.pose(0);
    m.strands.materials = {human_hair()};
    for (std::int64_t i = 0; i < n_strands; ++i) {
        const RootPlace root = roots.root(i);
        std::vector<Vec3> points = grow_strand(groom, root, i);
        for (Vec3& p : points) p = pose.to_world(p);
        const std::int32_t begin = m.strands.n_vertices();
        const Vec3 normal = pose.rotation * root.normal;
        add_strand(m.strands, m.strands_at_start, points, 0, normal.unitOrthogonal());
        clamp_root(m, begin);
    }
    group_strands(m.strands);
    m.strand_groups.push_back({.name = "hair", .n_strands = m.strands.n_strands(), .is_random = true});
    return m;
}

Model falling_bundles(int n_bundles, std::int64_t n_strands_each)
{
    constexpr double kLength = 0.06, kApart = 5e-3;
    Model m;
    m.options.strand_contact = StrandContactLaw::Cone;
    m.options.frame_interval = 1;
    m.domain.box = {Vec3(-0.1, -0.1, -0.05), Vec3(0.1, 0.1 + n_bundles * kApart, 0.1)};
    m.strands.materials = {human_hair()};
    const double radius = m.strands.materials[0].radius_a;
    Bundle bundle{.count = n_strands_each, .spacing = 2.1 * radius};
    double lowest = 1;
    for (int b = 0; b < n_bundles; ++b) {
        bundle.start = Vec3(-0.5 * kLength, b * kApart, 0.01);
        bundle.end = bundle.start + kLength * Vec3::UnitX();
        const Curves curves = bundle_curves(bundle);
        for (std::size_t i = 0; i < curves.size(); ++i)
            add_strand(m.strands, m.strands_at_start, curves[i], 0, Vec3::UnitZ());
        for (const Vec3& x : curves.points) lowest = std::min(lowest, x.z());
    }
    Obstacle table;
    table.name = "table";
    table.shape = make_box(Vec3(-0.09, -0.09, -0.04), Vec3(0.09, 0.09 + n_bundles * kApart, lowest - 1.1 * radius));
    m.obstacles.push_back(table);
    group_strands(m.strands);
    m.strand_groups.push_back({.name = "hair", .n_strands = m.strands.n_strands()});
    return m;
}

} // namespace rivulet
