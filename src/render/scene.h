#pragma once

#include "base/vec.h"
#include "geometry/triangle_mesh.h"

#include <vector>

namespace rivulet {

/// How light meets a surface.
enum class Surface {
    Diffuse, ///< matt, lit on both sides: cloth
    Coated,  ///< diffuse under a thin clear coat: obstacles, beads, paint
    Liquid,  ///< clear dielectric that absorbs by depth; the mesh is closed, counter-clockwise seen from outside
    Glass    ///< thin pane: reflects by Fresnel, else lets light straight through
};

struct Material {
    Surface surface = Surface::Coated;
    /// Linear RGB where the geometry has no colours of its own. Liquid: what is left of white light after
    /// `absorption_distance`. Otherwise the diffuse albedo (Glass: the tint of one passage).
    Vec3 colour = {0.6, 0.6, 0.6};
    double refractive_index = 1.333;
    double roughness = 0.25;        ///< of the coat, 0 = mirror
    double absorption_distance = 0; ///< [m]; 0 = three fifths of the diagonal of what is framed
    /// Liquid of many closed parts that may overlap each other and other liquid, and are one with what they overlap:
    /// drops on strands. It is drawn as touching only what it holds, whatever the contact gap.
    bool overlaps = false;
};

/// A mesh; its vertex colours, where present, replace the material's colour.
struct MeshDrawable {
    TriangleMesh mesh;
    Material material;
    bool smooth = true; ///< shade with normals averaged at vertices
    /// Smooth shading stops at edges sharper than this [rad].
    double crease_angle = 0.7;
};

struct SphereDrawable {
    std::vector<Vec3> centres; ///< [m]
    std::vector<double> radii; ///< [m], one a sphere, or one for all
    std::vector<Vec3> colours; ///< linear RGB a sphere, or empty
    Material material;
};

/// Strands: polylines of at least two vertices, drawn as smooth round curves through their vertices.
struct CurveDrawable {
    std::vector<Vec3> vertices;  ///< [m]
    std::vector<int> starts;     ///< index of the first vertex of each strand
    std::vector<double> radii;   ///< [m], one a vertex, or one for all
    std::vector<Vec3> colours;   ///< linear RGB a vertex, or one for all
    std::vector<double> wetness; ///< 0 dry to 1 soaked, a vertex; or empty = dry
};

/// Light from far away: a sky that changes with height, and a sun disc.
struct Lighting {
    Vec3 zenith = {0.20, 0.34, 0.62};  ///< radiance straight up, linear RGB
    Vec3 horizon = {0.72, 0.78, 0.84}; ///< radiance at and below the horizon
    Vec3 sun = {3.3, 3.0, 2.6};        ///< irradiance on a surface that faces the sun
    double sun_radius = 0.035;         ///< angular radius of the disc [rad]; larger = softer shadows
    double exposure = 0.75;            ///< factor before tone mapping
};

/// Everything that one picture shows. Plain data: no physics.
struct RenderScene {
    std::vector<MeshDrawable> meshes;
    std::vector<SphereDrawable> spheres;
    std::vector<CurveDrawable> curves;
    /// The simulation's box [m], or empty: the ground lies at its floor and is tiled inside it.
    Aabb domain;
    /// What the automatic camera frames [m]; empty = the domain, and without one all that is drawn.
    Aabb focus;
    /// Liquid that ends within this distance of something solid is drawn as touching it [m]: about one cell.
    double contact_gap = 0;
    Vec3 ground_colour = {0.34, 0.335, 0.325};
    Lighting lighting;
};

/// Bounds of all that is drawn (not the ground) [m]; empty for an empty scene.
[[nodiscard]] Aabb content_bounds(const RenderScene& scene);
/// What the automatic camera frames [m]: see RenderScene::focus. A unit box when there is nothing at all.
[[nodiscard]] Aabb framed_bounds(const RenderScene& scene);

/// Raises InputError for a scene that cannot be drawn: indices out of range, sizes that do not match, values that are
/// not finite.
void validate(const RenderScene& scene);

} // namespace rivulet
