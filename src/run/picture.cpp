#include "run/picture.h"

#include "base/error.h"
#include "base/parallel.h"
#include "geometry/clipped_box.h"
#include "geometry/isosurface.h"
#include "geometry/shapes.h"
#include "geometry/surfacing.h"
#include "io/atomic_file.h"
#include "io/image.h"
#include "io/movie.h"
#include "render/renderer.h"
#include "rivulet/picture.h"
#include "run/picture_strands.h"
#include "run/run_folder.h"
#include "run/wet_strands.h"
#include "scene/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Obstacles larger than the box (planes, tables) are cut off there in pictures: how far beyond, in box diagonals.
constexpr double kReach = 1.0;

SphereDrawable liquid_spheres(const Frame& frame)
{
    SphereDrawable spheres;
    spheres.centres = frame.position;
    spheres.colours = frame.colour;
    for (const double volume : frame.volume) spheres.radii.push_back(std::cbrt(0.75 * volume / std::numbers::pi));
    return spheres;
}

void add_strands_to(RenderScene& picture, const Scene& scene, const Frame& frame)
{
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Drawn);
    const StrandColours colours = strand_colours(scene, frame);
    for (std::size_t g = 0; g < scene.model.strand_groups.size(); ++g)
        picture.curves.push_back(picture_curves(scene, frame, wet, colours, g));
    MeshDrawable films;
    films.mesh = film_surface(scene, frame, wet);
    films.material.surface = Surface::Liquid;
    films.material.overlaps = true;
    if (scene.model.wetting)
        films.material.colour = scene.model.liquids[static_cast<std::size_t>(scene.model.wetting->liquid)].colour;
    if (!films.mesh.triangles.empty()) picture.meshes.push_back(std::move(films));
}

bool is_bounded(const Shape& shape) { return shape.bounds().size().maxCoeff() < 1e20; }

double diagonal(const Scene& scene) { return scene.model.domain.box.size().norm(); }

/// What an obstacle without an end has within the domain when the run starts, in its own coordinates.
TriangleMesh mesh_within_domain(const Scene& scene, const Obstacle& obstacle)
{
    const Aabb& box = scene.model.domain.box;
    const Pose pose = obstacle.motion.pose(0);
    const auto distance = [&](const Vec3& x) { return obstacle.shape->distance(pose.to_body(x)); };
    const Vec3 normal = pose.rotation * obstacle.shape->normal(pose.to_body(box.centre()));
    const double offset = normal.dot(box.centre()) - distance(box.centre());
    bool is_plane = true;
    for (int c = 0; c < 8; ++c) {
        const Vec3 corner(c & 1 ? box.upper.x() : box.lower.x(), c & 2 ? box.upper.y() : box.lower.y(),
                          c & 4 ? box.upper.z() : box.lower.z());
        is_plane = is_plane && std::abs(distance(corner) - (normal.dot(corner) - offset)) < 1e-9 * diagonal(scene);
    }
    TriangleMesh mesh;
    if (is_plane)
        mesh = clip_box(box, normal, offset);
    else {
        const ShapePtr domain = make_box(box.lower, box.upper);
        const double spacing = std::max(diagonal(scene) / 128, 0.5 * scene.model.options.cell_size);
        mesh = mesh_distance_field([&](const Vec3& x) { return std::max(distance(x), domain->distance(x)); },
                                   box.dilated(1.37 * spacing), spacing);
    }
    for (Vec3& x : mesh.vertices) x = pose.to_body(x);
    return mesh;
}

RenderSettings settings_for(const Scene& scene, const PictureOptions& options)
{
    RenderSettings settings = scene.render;
    settings.width = options.width.value_or(settings.width);
    settings.height = options.height.value_or(settings.height);
    settings.samples = options.samples.value_or(settings.samples);
    return settings;
}

} // namespace

TriangleMesh liquid_surface(const Scene& scene, const Frame& frame)
{
    SurfacingOptions options;
    options.cell_size = scene.model.options.cell_size;
    return surface_particles(frame.position, frame.volume, frame.colour, options);
}

TriangleMesh obstacle_mesh(const Scene& scene, std::size_t index)
{
    const Obstacle& obstacle = scene.model.obstacles.at(index);
    if (!is_bounded(*obstacle.shape)) return mesh_within_domain(scene, obstacle);
    const double extent = std::min(obstacle.shape->bounds().size().maxCoeff(), kReach * diagonal(scene));
    return obstacle.shape->tessellate(std::max(extent / 64, 0.5 * scene.model.options.cell_size));
}

RenderScene picture_scene(const Scene& scene, const Frame& frame)
{
    RenderScene picture;
    picture.domain = scene.model.domain.box;
    picture.contact_gap = scene.model.options.cell_size;
    if (scene.render.particles)
        picture.spheres.push_back(liquid_spheres(frame));
    else if (!frame.position.empty()) {
        MeshDrawable liquid;
        liquid.mesh = liquid_surface(scene, frame);
        liquid.material.surface = Surface::Liquid;
        if (!liquid.mesh.triangles.empty()) picture.meshes.push_back(std::move(liquid));
    }
    add_strands_to(picture, scene, frame);
    for (std::size_t i = 0; i < scene.model.obstacles.size(); ++i) {
        const Obstacle& obstacle = scene.model.obstacles[i];
        if (!obstacle.visible) continue;
        MeshDrawable solid;
        solid.mesh = obstacle_mesh(scene, i);
        if (solid.mesh.triangles.empty()) continue; // a plane below the domain
        const Pose pose = obstacle.motion.pose(frame.time);
        for (Vec3& vertex : solid.mesh.vertices) vertex = pose.to_world(vertex);
        solid.material.colour = obstacle.colour;
        if (obstacle.transparent) solid.material.surface = Surface::Glass;
        picture.meshes.push_back(std::move(solid));
    }
    return picture;
}

std::vector<std::int64_t> chosen_frames(const RunFolder& folder, const std::optional<std::int64_t>& frame)
{
    std::vector<std::int64_t> present = folder.frames();
    if (present.empty()) throw InputError(folder.path().string() + ": has no frames");
    if (!frame) return present;
    if (std::find(present.begin(), present.end(), *frame) == present.end())
        throw InputError(fmt::format("{}: there is no frame {} ({} to {})", folder.path().string(), *frame,
                                     present.front(), present.back()));
    return {*frame};
}

Scene load_for_pictures(const RunFolder& folder, const std::vector<std::string>& overrides)
{
    for (const std::string& text : overrides) {
        const std::string path = text.substr(0, text.find('='));
        const auto found = find_key(path);
        if (found && found->affects_simulation)
            throw InputError(fmt::format("--set: {} changes the simulation, which is over; allowed: keys that change "
                                         "pictures alone, such as render.colour_by",
                                         path));
    }
    return load_scene(folder.file("scene.toml"), overrides);
}

std::vector<std::filesystem::path> render_run(const std::filesystem::path& run, const PictureOptions& options)
{
    const RunFolder folder = open_run(run);
    const std::string kind = options.movie.extension().string();
    if (!options.movie.empty() && kind != ".mp4" && kind != ".gif")
        throw InputError("--movie: '" + options.movie.string() + "' must end in .mp4 or .gif");
    return with_threads(options.threads, [&](int) {
        const Scene scene = load_for_pictures(folder, options.overrides);
        const RenderSettings settings = settings_for(scene, options);
        const std::vector<std::int64_t> frames = chosen_frames(folder, options.frame);
        if (!options.movie.empty()) require_movie(options.movie, 1 / scene.model.options.frame_interval);
        make_folder(folder.file("preview"));
        std::vector<std::filesystem::path> files;
        for (const std::int64_t number : frames) {
            files.push_back(folder.picture(number));
            const Frame frame = read_frame(folder.frame(number));
            write_png(files.back(), render(picture_scene(scene, frame), settings));
            const std::string legend = strand_colours(scene, frame).legend;
            if (options.message) options.message(files.back().string() + (legend.empty() ? "" : " (" + legend + ")"));
        }
        if (!options.movie.empty()) {
            write_movie(files, 1 / scene.model.options.frame_interval, options.movie);
            files.push_back(options.movie);
            if (options.message) options.message(options.movie.string());
        }
        return files;
    });
}

} // namespace rivulet
