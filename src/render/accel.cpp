#include "render/accel.h"

#include "base/assert.h"
#include "base/error.h"

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

[[noreturn]] void embree_failed(RTCError code)
{
    throw InternalError(fmt::format("Embree failed with error {}", static_cast<int>(code)));
}

ShadedMaterial shaded(const Material& material, const Placement& placement, float default_absorption)
{
    ShadedMaterial m;
    m.surface = material.surface;
    m.colour = material.colour.cast<float>().array();
    m.refractive_index = static_cast<float>(material.refractive_index);
    m.roughness = static_cast<float>(material.roughness);
    m.overlaps = material.overlaps;
    m.absorption_distance =
        material.absorption_distance > 0 ? placement.length(material.absorption_distance) : default_absorption;
    return m;
}

std::vector<Rgb> to_rgb(const std::vector<Vec3>& colours)
{
    std::vector<Rgb> result;
    result.reserve(colours.size());
    for (const Vec3& c : colours) result.emplace_back(c.cast<float>().array());
    return result;
}

/// Normals averaged over the faces at each vertex, weighted by their angle there, so that the cut of a flat side into
/// triangles does not matter.
std::vector<Vec3f> vertex_normals(const std::vector<Vec3f>& vertices,
                                  const std::vector<std::array<std::int32_t, 3>>& triangles)
{
    std::vector<Vec3f> normals(vertices.size(), Vec3f::Zero());
    const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
    for (const auto& [a, b, c] : triangles) {
        const Vec3f ab = (vertices[at(b)] - vertices[at(a)]).normalized();
        const Vec3f bc = (vertices[at(c)] - vertices[at(b)]).normalized();
        const Vec3f ca = (vertices[at(a)] - vertices[at(c)]).normalized();
        const Vec3f n = ab.cross(-ca).normalized();
        const auto angle = [](float cosine) { return std::acos(std::clamp(cosine, -1.0f, 1.0f)); };
        if (!n.allFinite()) continue; // a triangle without area
        normals[at(a)] += angle(-ab.dot(ca)) * n;
        normals[at(b)] += angle(-ab.dot(bc)) * n;
        normals[at(c)] += angle(-bc.dot(ca)) * n;
    }
    for (Vec3f& n : normals) n.normalize();
    return normals;
}

/// The size of 1, 2 or 5 times a power of ten nearest below.
double round_tile(double length)
{
    const double decade = std::pow(10.0, std::floor(std::log10(length)));
    const double m = length / decade;
    return decade * (m >= 5 ? 5 : m >= 2 ? 2 : 1);
}

} // namespace

Placement place(const Aabb& framed)
{
    Placement placement;
    placement.centre = framed.centre();
    placement.scale = 10 / framed.size().norm();
    return placement;
}

SceneAccel::SceneAccel(const RenderScene& scene, const Placement& placement, const Vec3f& eye, float pixel_angle,
                       bool ground)
    : has_ground_(ground)
{
    device_.reset(rtcNewDevice(nullptr));
    if (!device_) embree_failed(rtcGetDeviceError(nullptr));
    scene_.reset(rtcNewScene(device_.get()));
    rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);

    const Aabb framed = framed_bounds(scene);
    const float default_absorption = placement.length(0.6 * framed.size().norm());
    for (const MeshDrawable& mesh : scene.meshes) add_mesh(mesh, placement, default_absorption);
    for (const SphereDrawable& spheres : scene.spheres) add_spheres(spheres, placement, default_absorption);
    for (const CurveDrawable& curves : scene.curves) add_curves(curves, placement, eye, pixel_angle);
    oneapi::tbb::task_arena(1).execute([&] { rtcCommitScene(scene_.get()); });
    if (const RTCError code = rtcGetDeviceError(device_.get()); code != RTC_ERROR_NONE) embree_failed(code);

    RTCBounds bounds;
    rtcGetSceneBounds(scene_.get(), &bounds);
    bounds_lower_ = Eigen::Array3f(bounds.lower_x, bounds.lower_y, bounds.lower_z) - 1e-3f;
    bounds_upper_ = Eigen::Array3f(bounds.upper_x, bounds.upper_y, bounds.upper_z) + 1e-3f;

    const Aabb& box = scene.domain.is_empty() ? framed : scene.domain;
    ground_height_ = placement.point(box.lower).z();
    ground_colour_ = scene.ground_colour.cast<float>().array();
    has_tiles_ = !scene.domain.is_empty();
    tiles_lower_ = placement.point(box.lower).head<2>().array();
    tiles_upper_ = placement.point(box.upper).head<2>().array();
    tile_edge_ = placement.length(round_tile(std::max(1e-300, box.size().head<2>().maxCoeff() / 5)));
}

void SceneAccel::attach(RTCGeometry geometry, Entry entry)
{
    rtcCommitGeometry(geometry);
    const unsigned id = rtcAttachGeometry(scene_.get(), geometry);
    rtcReleaseGeometry(geometry);
    RIVULET_VERIFY(id == entries_.size());
    entries_.push_back(std::move(entry));
}

void SceneAccel::add_mesh(const MeshDrawable& drawable, const Placement& placement, float default_absorption)
{
    if (drawable.mesh.triangles.empty()) return;
    Mesh mesh;
    mesh.triangles = drawable.mesh.triangles;
    mesh.vertices.reserve(drawable.mesh.vertices.size());
    for (const Vec3& x : drawable.mesh.vertices) mesh.vertices.push_back(placement.point(x));
    if (drawable.smooth) mesh.normals = vertex_normals(mesh.vertices, mesh.triangles);
    mesh.colours = to_rgb(drawable.mesh.colours);
    mesh.crease_cosine = static_cast<float>(std::cos(drawable.crease_angle));

    RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                                 3 * sizeof(float), mesh.vertices.size()));
    auto* indices = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), mesh.triangles.size()));
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) std::copy_n(mesh.vertices[i].data(), 3, vertices + 3 * i);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) indices[3 * i + k] = static_cast<std::uint32_t>(mesh.triangles[i][k]);
    attach(geometry, {Kind::Mesh, meshes_.size(), shaded(drawable.material, placement, default_absorption)});
    meshes_.push_back(std::move(mesh));
}

void SceneAccel::add_spheres(const SphereDrawable& drawable, const Placement& placement, float default_absorption)
{
    const std::size_t n = drawable.centres.size();
    if (n == 0) return;
    RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_SPHERE_POINT);
    auto* points = static_cast<float*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 4 * sizeof(float), n));
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3f centre = placement.point(drawable.centres[i]);
        std::copy_n(centre.data(), 3, points + 4 * i);
        points[4 * i + 3] = placement.length(drawable.radii[drawable.radii.size() == 1 ? 0 : i]);
    }
    attach(geometry, {Kind::Spheres, spheres_.size(), shaded(drawable.material, placement, default_absorption)});
    spheres_.push_back({to_rgb(drawable.colours)});
}

void SceneAccel::add_curves(const CurveDrawable& drawable, const Placement& placement, const Vec3f& eye,
                            float pixel_angle)
{
    if (drawable.vertices.empty()) return;
    Curves curves;
    const auto add_point = [&](const Vec3& x, std::size_t vertex) {
        const Vec3f p = placement.point(x);
        const float radius = placement.length(drawable.radii[drawable.radii.size() == 1 ? 0 : vertex]);
        const float thinnest = 0.4f * pixel_angle * (p - eye).norm();
        curves.points.emplace_back(p.x(), p.y(), p.z(), std::max(radius, thinnest));
        const Vec3& colour = drawable.colours[drawable.colours.size() == 1 ? 0 : vertex];
        curves.colours.emplace_back(colour.cast<float>().array());
        curves.wetness.push_back(drawable.wetness.empty() ? 0.0f : static_cast<float>(drawable.wetness[vertex]));
    };
    for (std::size_t s = 0; s < drawable.starts.size(); ++s) {
        const auto begin = static_cast<std::size_t>(drawable.starts[s]);
        const auto end = s + 1 < drawable.starts.size() ? static_cast<std::size_t>(drawable.starts[s + 1])
                                                        : drawable.vertices.size();
        const auto& x = drawable.vertices;
        // Catmull-Rom needs a point before the first and after the last: the ends are continued straight on.
        const auto first = static_cast<std::uint32_t>(curves.points.size());
        add_point(2 * x[begin] - x[begin + 1], begin);
        for (std::size_t v = begin; v < end; ++v) add_point(x[v], v);
        add_point(2 * x[end - 1] - x[end - 2], end - 1);
        for (std::uint32_t v = 0; v + 1 < end - begin; ++v) curves.segments.push_back(first + v);
    }
    RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE);
    auto* points = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                                               4 * sizeof(float), curves.points.size()));
    for (std::size_t i = 0; i < curves.points.size(); ++i) std::copy_n(curves.points[i].data(), 4, points + 4 * i);
    auto* segments = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, sizeof(std::uint32_t), curves.segments.size()));
    std::copy(curves.segments.begin(), curves.segments.end(), segments);
    attach(geometry, {Kind::Curves, curves_.size(), ShadedMaterial{}});
    curves_.push_back(std::move(curves));
}

bool SceneAccel::meets_bounds(const Vec3f& origin, const Vec3f& direction, float far) const noexcept
{
    const Eigen::Array3f inverse = direction.array().inverse();
    const Eigen::Array3f a = (bounds_lower_ - origin.array()) * inverse, b = (bounds_upper_ - origin.array()) * inverse;
    // A component of zero gives infinities of the right sign; the margin of the bounds keeps 0 * infinity away.
    return std::max(0.0f, a.min(b).maxCoeff()) <= std::min(far, a.max(b).minCoeff());
}

bool SceneAccel::intersect(const Vec3f& origin, const Vec3f& direction, float near, float far, SurfaceHit& hit) const
{
    if (!meets_bounds(origin, direction, far)) return intersect_ground(origin, direction, near, far, hit);
    RTCRayHit query{};
    query.ray.org_x = origin.x();
    query.ray.org_y = origin.y();
    query.ray.org_z = origin.z();
    query.ray.dir_x = direction.x();
    query.ray.dir_y = direction.y();
    query.ray.dir_z = direction.z();
    query.ray.tnear = near;
    query.ray.tfar = far;
    query.ray.mask = ~0U;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene_.get(), &context, &query);
    const bool found = query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    if (intersect_ground(origin, direction, near, query.ray.tfar, hit)) return true;
    if (!found) return false;
    hit.distance = query.ray.tfar;
    hit.position = origin + query.ray.tfar * direction;
    fill_hit(query, hit);
    return true;
}

void SceneAccel::fill_hit(const RTCRayHit& query, SurfaceHit& hit) const
{
    const Entry& entry = entries_[query.hit.geomID];
    hit.kind = entry.kind == Kind::Curves ? SurfaceHit::Kind::Strand : SurfaceHit::Kind::Surface;
    hit.material = &entry.material;
    hit.face_normal = Vec3f(query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z).normalized();
    hit.shading_normal = hit.face_normal;
    hit.colour = entry.material.colour;
    hit.wetness = 0;
    if (entry.kind == Kind::Mesh) {
        fill_mesh_hit(entry, query.hit.primID, query.hit.u, query.hit.v, hit);
    } else if (entry.kind == Kind::Spheres) {
        const Spheres& spheres = spheres_[entry.index];
        if (!spheres.colours.empty()) hit.colour = spheres.colours[query.hit.primID];
    } else {
        fill_curve_hit(entry, query.hit.primID, query.hit.u, hit);
    }
}

void SceneAccel::fill_mesh_hit(const Entry& entry, std::uint32_t primitive, float u, float v, SurfaceHit& hit) const
{
    const Mesh& mesh = meshes_[entry.index];
    const std::array<float, 3> weight{1 - u - v, u, v};
    Vec3f normal = Vec3f::Zero();
    Rgb colour = Rgb::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
        const auto vertex = static_cast<std::size_t>(mesh.triangles[primitive][k]);
        if (!mesh.normals.empty()) {
            const Vec3f& n = mesh.normals[vertex];
            const bool smooth = n.dot(hit.face_normal) > mesh.crease_cosine;
            normal += weight[k] * (smooth ? n : hit.face_normal);
        }
        if (!mesh.colours.empty()) colour += weight[k] * mesh.colours[vertex];
    }
    if (!mesh.normals.empty()) hit.shading_normal = normal.normalized();
    if (!mesh.colours.empty()) hit.colour = colour;
}

void SceneAccel::fill_curve_hit(const Entry& entry, std::uint32_t primitive, float u, SurfaceHit& hit) const
{
    const Curves& curves = curves_[entry.index];
    const std::size_t first = curves.segments[primitive];
    const auto p = [&](std::size_t k) { return Vec3f(curves.points[first + k].head<3>()); };
    // Derivative of the Catmull-Rom segment between points 1 and 2.
    const Vec3f a = 2 * p(0) - 5 * p(1) + 4 * p(2) - p(3), b = 3 * (p(1) - p(2)) + p(3) - p(0);
    hit.tangent = (0.5f * (p(2) - p(0) + 2 * u * a + 3 * u * u * b)).normalized();
    if (!hit.tangent.allFinite()) hit.tangent = Vec3f::UnitZ();
    hit.colour = (1 - u) * curves.colours[first + 1] + u * curves.colours[first + 2];
    hit.wetness = (1 - u) * curves.wetness[first + 1] + u * curves.wetness[first + 2];
}

bool SceneAccel::intersect_ground(const Vec3f& origin, const Vec3f& direction, float near, float far,
                                  SurfaceHit& hit) const
{
    if (!has_ground_ || direction.z() > -1e-6f) return false;
    const float distance = (ground_height_ - origin.z()) / direction.z();
    if (!(distance > near && distance < far)) return false;
    hit.kind = SurfaceHit::Kind::Ground;
    hit.material = nullptr;
    hit.distance = distance;
    hit.position = origin + distance * direction;
    hit.position.z() = ground_height_;
    hit.face_normal = hit.shading_normal = Vec3f::UnitZ();
    hit.wetness = 0;
    hit.colour = ground_colour_;
    const Eigen::Array2f xy = hit.position.head<2>().array();
    if (has_tiles_ && (xy >= tiles_lower_).all() && (xy <= tiles_upper_).all()) {
        const Eigen::Array2f cell = (xy - tiles_lower_) / tile_edge_;
        const bool odd = (static_cast<int>(cell.x()) + static_cast<int>(cell.y())) % 2 != 0;
        hit.colour *= odd ? 0.72f : 1.18f;
    }
    return true;
}

} // namespace rivulet
