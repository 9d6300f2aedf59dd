#include "render/scene.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

double value_at(const std::vector<double>& values, std::size_t i) { return values.size() == 1 ? values[0] : values[i]; }

void check(bool condition, const char* what)
{
    if (!condition) throw InputError(fmt::format("picture: {}", what));
}

bool is_finite(const std::vector<Vec3>& values)
{
    return std::all_of(values.begin(), values.end(), [](const Vec3& v) { return v.allFinite(); });
}

bool is_positive(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [](double v) { return v > 0 && std::isfinite(v); });
}

bool is_size(std::size_t size, std::size_t n) { return size == 1 || size == n; }

void validate_material(const Material& m)
{
    check(m.colour.allFinite() && (m.colour.array() >= 0).all(), "material colours are finite and not negative");
    check(m.refractive_index >= 1 && m.refractive_index < 10, "a refractive index is between 1 and 10");
    check(m.roughness >= 0 && m.roughness <= 1, "a roughness is between 0 and 1");
    check(m.absorption_distance >= 0 && std::isfinite(m.absorption_distance), "absorption distances are >= 0");
}

void validate_mesh(const MeshDrawable& drawable)
{
    const TriangleMesh& mesh = drawable.mesh;
    validate_material(drawable.material);
    check(is_finite(mesh.vertices), "mesh vertices are finite");
    check(mesh.colours.empty() || mesh.colours.size() == mesh.vertices.size(), "a mesh has a colour for each vertex");
    check(is_finite(mesh.colours), "mesh colours are finite");
    const auto n = static_cast<std::int64_t>(mesh.vertices.size());
    for (const auto& triangle : mesh.triangles)
        for (const std::int32_t v : triangle) check(v >= 0 && v < n, "triangles refer to vertices of their mesh");
}

void validate_spheres(const SphereDrawable& spheres)
{
    validate_material(spheres.material);
    if (spheres.centres.empty()) return;
    check(is_finite(spheres.centres) && is_finite(spheres.colours), "spheres are finite");
    check(is_size(spheres.radii.size(), spheres.centres.size()), "spheres have one radius each, or one for all");
    check(is_positive(spheres.radii), "radii of spheres are positive");
    check(spheres.colours.empty() || spheres.colours.size() == spheres.centres.size(),
          "spheres have a colour each, or none");
}

void validate_curves(const CurveDrawable& curves)
{
    const std::size_t n = curves.vertices.size();
    if (n == 0) return;
    check(is_finite(curves.vertices) && is_finite(curves.colours), "strands are finite");
    check(is_size(curves.radii.size(), n) && is_positive(curves.radii), "strands have positive radii, one a vertex");
    check(is_size(curves.colours.size(), n), "strands have a colour for each vertex, or one for all");
    check(curves.wetness.empty() || curves.wetness.size() == n, "strands have a wetness for each vertex, or none");
    check(!curves.starts.empty() && curves.starts.front() == 0, "the first strand starts at vertex 0");
    for (std::size_t s = 0; s < curves.starts.size(); ++s) {
        const int end = s + 1 < curves.starts.size() ? curves.starts[s + 1] : static_cast<int>(n);
        check(end - curves.starts[s] >= 2 && end <= static_cast<int>(n), "each strand has two vertices or more");
    }
}

} // namespace

Aabb content_bounds(const RenderScene& scene)
{
    Aabb box;
    for (const MeshDrawable& drawable : scene.meshes)
        for (const auto& triangle : drawable.mesh.triangles)
            for (const std::int32_t v : triangle) box.include(drawable.mesh.vertices[static_cast<std::size_t>(v)]);
    for (const SphereDrawable& spheres : scene.spheres)
        for (std::size_t i = 0; i < spheres.centres.size(); ++i) {
            const Vec3 r = Vec3::Constant(value_at(spheres.radii, i));
            box.include(spheres.centres[i] - r);
            box.include(spheres.centres[i] + r);
        }
    for (const CurveDrawable& curves : scene.curves)
        for (const Vec3& x : curves.vertices) box.include(x);
    return box;
}

Aabb framed_bounds(const RenderScene& scene)
{
    Aabb box = !scene.focus.is_empty() ? scene.focus : !scene.domain.is_empty() ? scene.domain : content_bounds(scene);
    if (box.is_empty() || !(box.size().norm() > 0)) {
        const Vec3 centre = box.is_empty() ? Vec3(Vec3::Zero()) : box.centre();
        box = {centre - Vec3::Constant(0.5), centre + Vec3::Constant(0.5)};
    }
    return box;
}

void validate(const RenderScene& scene)
{
    for (const MeshDrawable& drawable : scene.meshes) validate_mesh(drawable);
    for (const SphereDrawable& spheres : scene.spheres) validate_spheres(spheres);
    for (const CurveDrawable& curves : scene.curves) validate_curves(curves);
    check(scene.contact_gap >= 0 && std::isfinite(scene.contact_gap), "the contact gap is >= 0");
    check(scene.lighting.sun_radius > 0 && scene.lighting.sun_radius < 1, "the sun's radius is between 0 and 1 rad");
}

} // namespace rivulet
