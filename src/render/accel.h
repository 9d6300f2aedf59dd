#pragma once

#include "render/optics.h"
#include "render/scene.h"

#include <embree3/rtcore.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace rivulet {

/// From metres to the renderer's own units, in which what is framed is about ten across and centred: single precision
/// is then good at any scale.
struct Placement {
    Vec3 centre = Vec3::Zero(); ///< [m]
    double scale = 1;           ///< [1/m]

    [[nodiscard]] Vec3f point(const Vec3& x) const { return ((x - centre) * scale).cast<float>(); }
    [[nodiscard]] float length(double metres) const { return static_cast<float>(metres * scale); }
};
[[nodiscard]] Placement place(const Aabb& framed);

/// Material in the renderer's units.
struct ShadedMaterial {
    Surface surface = Surface::Diffuse;
    Rgb colour = Rgb::Ones();
    float refractive_index = 1.333f;
    float roughness = 0.25f;
    float absorption_distance = 1;
    bool overlaps = false;
};

/// Where a ray meets the scene.
struct SurfaceHit {
    enum class Kind { Surface, Strand, Ground };
    Kind kind = Kind::Surface;
    const ShadedMaterial* material = nullptr; ///< of a Surface
    float distance = 0;
    Vec3f position;
    Vec3f face_normal;    ///< unit, outward for closed surfaces
    Vec3f shading_normal; ///< unit, on the same side
    Vec3f tangent;        ///< of a strand, unit
    Rgb colour = Rgb::Ones();
    float wetness = 0;

    [[nodiscard]] bool is(Surface surface) const noexcept
    {
        return kind == Kind::Surface && material->surface == surface;
    }
    /// Light goes on behind it.
    [[nodiscard]] bool is_clear() const noexcept { return is(Surface::Liquid) || is(Surface::Glass); }
};

/// The scene ready for rays: Embree's tree over all geometry, and the ground. Building runs on one thread, so that the
/// tree, and with it the choice between surfaces at the same distance, never depends on the number of threads.
class SceneAccel {
public:
    /// Strands are drawn no thinner than half a pixel (`eye`, `pixel_angle`), so that they do not break up.
    SceneAccel(const RenderScene& scene, const Placement& placement, const Vec3f& eye, float pixel_angle, bool ground);

    /// First hit with near < distance < far.
    [[nodiscard]] bool intersect(const Vec3f& origin, const Vec3f& direction, float near, float far,
                                 SurfaceHit& hit) const;
    [[nodiscard]] bool has_ground() const noexcept { return has_ground_; }
    [[nodiscard]] float ground_height() const noexcept { return ground_height_; }
    /// Rays that leave a surface start this far from it.
    [[nodiscard]] float epsilon() const noexcept { return 2e-4f; }

private:
    struct Mesh {
        std::vector<Vec3f> vertices;
        std::vector<std::array<std::int32_t, 3>> triangles;
        std::vector<Vec3f> normals; ///< a vertex; empty = flat
        std::vector<Rgb> colours;   ///< a vertex; empty = the material's
        float crease_cosine = 0.76f;
    };
    struct Spheres {
        std::vector<Rgb> colours; ///< a sphere; empty = the material's
    };
    struct Curves {
        std::vector<std::uint32_t> segments; ///< first of the four control points of each segment
        std::vector<Eigen::Vector4f> points; ///< with radius
        std::vector<Rgb> colours;            ///< a control point
        std::vector<float> wetness;          ///< a control point
    };
    enum class Kind { Mesh, Spheres, Curves };
    struct Entry {
        Kind kind;
        std::size_t index;
        ShadedMaterial material;
    };

    void add_mesh(const MeshDrawable& drawable, const Placement& placement, float default_absorption);
    void add_spheres(const SphereDrawable& drawable, const Placement& placement, float default_absorption);
    void add_curves(const CurveDrawable& drawable, const Placement& placement, const Vec3f& eye, float pixel_angle);
    void attach(RTCGeometry geometry, Entry entry);
    void fill_hit(const RTCRayHit& query, SurfaceHit& hit) const;
    void fill_mesh_hit(const Entry& entry, std::uint32_t primitive, float u, float v, SurfaceHit& hit) const;
    void fill_curve_hit(const Entry& entry, std::uint32_t primitive, float u, SurfaceHit& hit) const;
    bool intersect_ground(const Vec3f& origin, const Vec3f& direction, float near, float far, SurfaceHit& hit) const;

    struct Release {
        void operator()(RTCDeviceTy* device) const noexcept { rtcReleaseDevice(device); }
        void operator()(RTCSceneTy* scene) const noexcept { rtcReleaseScene(scene); }
    };
    std::unique_ptr<RTCDeviceTy, Release> device_;
    std::unique_ptr<RTCSceneTy, Release> scene_;
    std::vector<Entry> entries_; ///< by Embree's geometry number
    std::vector<Mesh> meshes_;
    std::vector<Spheres> spheres_;
    std::vector<Curves> curves_;

    /// Whether a ray comes near any geometry at all.
    [[nodiscard]] bool meets_bounds(const Vec3f& origin, const Vec3f& direction, float far) const noexcept;

    Eigen::Array3f bounds_lower_, bounds_upper_;
    bool has_ground_;
    float ground_height_ = 0;
    Rgb ground_colour_;
    bool has_tiles_ = false;
    Eigen::Array2f tiles_lower_, tiles_upper_;
    float tile_edge_ = 1;
};

} // namespace rivulet
