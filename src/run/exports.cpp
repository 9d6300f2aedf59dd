#include "base/error.h"
#include "base/parallel.h"
#include "geometry/mesh_io.h"
#include "geometry/mesh_parts.h"
#include "io/atomic_file.h"
#include "io/usda.h"
#include "rivulet/export.h"
#include "run/picture.h"
#include "run/run_folder.h"
#include "run/strand_colours.h"
#include "run/vdb_export.h"
#include "run/wet_strands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <sstream>

namespace rivulet {
namespace {

namespace fs = std::filesystem;

struct Job {
    RunFolder folder;
    Scene scene;
    std::vector<std::int64_t> frames;
    fs::path out;
    const ExportOptions& options;
    std::vector<fs::path> files = {};

    void wrote(const fs::path& file)
    {
        files.push_back(file);
        if (options.message) options.message(file.string());
    }
    [[nodiscard]] fs::path numbered(std::int64_t frame, const std::string& extension) const
    {
        return out / (six_digits(frame) + extension);
    }
    [[nodiscard]] Frame load(std::int64_t frame) const { return read_frame(folder.frame(frame)); }
};

template <class Writer>
void write_through_stream(const fs::path& path, Writer&& writer)
{
    std::ostringstream out;
    writer(out);
    write_file_atomically(path, std::move(out).str());
}

/// The bulk and, behind it, the bodies of liquid on strands.
TriangleMesh all_surfaces(const Scene& scene, const Frame& frame)
{
    TriangleMesh mesh = liquid_surface(scene, frame);
    if (scene.model.wetting)
        append_mesh(mesh, film_surface(scene, frame, wet_strands(scene, frame, StrandRadii::Real)));
    return mesh;
}

std::vector<double> widths(const Frame& frame)
{
    std::vector<double> values;
    for (const double volume : frame.volume) values.push_back(2 * std::cbrt(0.75 * volume / std::numbers::pi));
    return values;
}

void write_points(const fs::path& path, const Frame& frame)
{
    const std::vector<PointAttribute> attributes{
        {"velocity", frame.velocity}, {"colour", frame.colour}, {"volume", frame.volume}, {"pressure", frame.pressure}};
    write_through_stream(path, [&](std::ostream& out) { write_ply_points(out, frame.position, attributes); });
}

void export_ply(Job& job)
{
    for (const std::int64_t number : job.frames) {
        write_points(job.numbered(number, ".ply"), job.load(number));
        job.wrote(job.numbered(number, ".ply"));
    }
}

/// Strands as OBJ polylines, after `n_before` vertices.
void write_lines(std::ostream& out, const Frame& frame, std::size_t n_before)
{
    out << fmt::format("# {} vertices [m] of {} strands\n", frame.strand_position.size(), frame.strand_group.size());
    for (const Vec3& x : frame.strand_position) out << fmt::format("v {:.9g} {:.9g} {:.9g}\n", x.x(), x.y(), x.z());
    std::int32_t group = -1;
    for (std::size_t s = 0; s < frame.strand_group.size(); ++s) {
        if (frame.strand_group[s] != group) {
            group = frame.strand_group[s];
            out << "o " << frame.strand_group_names.at(static_cast<std::size_t>(group)) << '\n';
        }
        out << 'l';
        for (std::int32_t v = frame.strand_first.at(s); v < frame.strand_first.at(s + 1); ++v)
            out << ' ' << n_before + static_cast<std::size_t>(v) + 1;
        out << '\n';
    }
}

void export_obj(Job& job)
{
    for (const std::int64_t number : job.frames) {
        const Frame frame = job.load(number);
        const TriangleMesh surface = all_surfaces(job.scene, frame);
        write_through_stream(job.numbered(number, ".obj"), [&](std::ostream& out) {
            if (!job.scene.model.liquids.empty()) write_obj(out, surface);
            if (!frame.strand_group.empty()) write_lines(out, frame, surface.vertices.size());
        });
        job.wrote(job.numbered(number, ".obj"));
    }
}

void export_vdb(Job& job)
{
    for (const std::int64_t number : job.frames) {
        write_frame_vdb(job.numbered(number, ".vdb"), job.scene, job.load(number));
        job.wrote(job.numbered(number, ".vdb"));
    }
}

void add_obstacles(UsdaWriter& usd, const Scene& scene, const Frame& frame)
{
    for (std::size_t i = 0; i < scene.model.obstacles.size(); ++i) {
        const Obstacle& obstacle = scene.model.obstacles[i];
        if (!obstacle.visible) continue;
        const TriangleMesh mesh = obstacle_mesh(scene, i);
        if (mesh.triangles.empty()) continue; // a plane below the domain
        const Pose pose = obstacle.motion.pose(frame.time);
        const std::vector<Vec3> colour{obstacle.colour};
        const std::vector<UsdQuantity> quantities{{.name = "colour", .vectors = colour}};
        usd.xform("obstacles/" + obstacle.name, pose.position, pose.rotation);
        usd.mesh("obstacles/" + obstacle.name + "/surface", mesh.vertices, mesh.triangles, quantities);
    }
}

/// One diameter for all strands from `first` to `end`, or where they differ one a vertex [m].
std::vector<double> strand_widths(const Frame& frame, std::size_t first, std::size_t end)
{
    const std::span<const double> radius = std::span(frame.strand_radius).subspan(first, end - first);
    const auto begin = static_cast<std::size_t>(frame.strand_first.at(first));
    const auto last = static_cast<std::size_t>(frame.strand_first.at(end));
    if (!frame.vertex_radius.empty()) {
        std::vector<double> tapered(frame.vertex_radius.begin() + static_cast<std::ptrdiff_t>(begin),
                                    frame.vertex_radius.begin() + static_cast<std::ptrdiff_t>(last));
        for (double& r : tapered) r *= 2;
        return tapered;
    }
    if (std::ranges::adjacent_find(radius, std::ranges::not_equal_to()) == radius.end()) return {2 * radius[0]};
    std::vector<double> widths;
    for (std::size_t s = first; s < end; ++s)
        widths.insert(widths.end(), static_cast<std::size_t>(frame.strand_first.at(s + 1) - frame.strand_first.at(s)),
                      2 * frame.strand_radius.at(s));
    return widths;
}

void add_strands(UsdaWriter& usd, const Scene& scene, const Frame& frame)
{
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Real);
    const StrandColours colours = strand_colours(scene, frame);
    if (scene.model.wetting) {
        const TriangleMesh films = film_surface(scene, frame, wet);
        const std::vector<UsdQuantity> quantities{{.name = "colour", .vectors = films.colours}};
        usd.mesh("liquid/films", films.vertices, films.triangles, quantities);
    }
    for (const StrandGroup& group : scene.model.strand_groups) {
        std::vector<std::int32_t> counts;
        const auto first = static_cast<std::size_t>(group.first_strand);
        const std::size_t end = first + static_cast<std::size_t>(group.n_strands);
        for (std::size_t s = first; s < end; ++s)
            counts.push_back(frame.strand_first.at(s + 1) - frame.strand_first.at(s));
        const auto begin = static_cast<std::size_t>(frame.strand_first.at(first));
        const std::size_t n = static_cast<std::size_t>(frame.strand_first.at(end)) - begin;
        std::vector<double> width = strand_widths(frame, first, end);
        const bool has_one = scene.render.colour_by == StrandColour::Material && group.colours.empty();
        const std::vector<Vec3> one{group.colour};
        const std::span<const Vec3> colour = has_one ? std::span(one) : std::span(colours.colour).subspan(begin, n);
        std::vector<UsdQuantity> quantities{
            {.name = "velocity", .vectors = std::span(frame.strand_velocity).subspan(begin, n)},
            {.name = "colour", .vectors = colour}};
        if (scene.model.wetting) {
            width.resize(n);
            for (std::size_t v = 0; v < n; ++v) width[v] = 2 * wet.radius(begin + v);
            quantities.push_back({.name = "wetness", .scalars = std::span(wet.wetness).subspan(begin, n)});
            quantities.push_back(
                {.name = "film_thickness", .scalars = std::span(frame.film_thickness).subspan(begin, n)});
        }
        usd.curves("strands/" + group.name, std::span(frame.strand_position).subspan(begin, n), counts, width,
                   quantities);
    }
}

/// Named for the run, or for the frame where there is but one: an animation is not replaced by a frame of it.
fs::path usd_path(const Job& job)
{
    if (job.options.frame) return job.numbered(*job.options.frame, ".usda");
    fs::path run = fs::absolute(job.folder.path()).lexically_normal();
    if (!run.has_filename()) run = run.parent_path(); // "run/"
    return job.out / (run.filename().string() + ".usda");
}

void export_usd(Job& job)
{
    const fs::path path = usd_path(job);
    UsdaWriter usd(path, 1 / job.scene.model.options.frame_interval, job.scene.model.title);
    for (const std::int64_t number : job.frames) {
        const Frame frame = job.load(number);
        const TriangleMesh surface = liquid_surface(job.scene, frame);
        const std::vector<double> radii = widths(frame);
        const std::vector<UsdQuantity> point_quantities{{.name = "velocity", .vectors = frame.velocity},
                                                        {.name = "colour", .vectors = frame.colour},
                                                        {.name = "pressure", .scalars = frame.pressure}};
        const std::vector<UsdQuantity> surface_quantities{{.name = "colour", .vectors = surface.colours}};
        usd.begin_frame(number);
        if (!job.scene.model.liquids.empty()) {
            usd.points("liquid/particles", frame.position, radii, frame.id, point_quantities);
            usd.mesh("liquid/surface", surface.vertices, surface.triangles, surface_quantities); // empty ones too
        }
        add_strands(usd, job.scene, frame);
        add_obstacles(usd, job.scene, frame);
    }
    usd.finish();
    job.wrote(path);
}

void export_mesh(Job& job)
{
    for (const std::int64_t number : job.frames) {
        const TriangleMesh surface = all_surfaces(job.scene, job.load(number));
        write_through_stream(job.numbered(number, ".ply"), [&](std::ostream& out) { write_ply(out, surface); });
        job.wrote(job.numbered(number, ".ply"));
    }
}

/// What a run must have for a format not to be empty.
enum class Holds { Everything, LiquidAndStrands, Liquid };

void require_content(const fs::path& run, const Model& model, const std::string& format, Holds holds)
{
    const int n_strands = model.strands.n_strands();
    const bool has_strands = holds == Holds::LiquidAndStrands && n_strands > 0;
    if (holds == Holds::Everything || !model.liquids.empty() || has_strands) return;
    const std::string there =
        n_strands > 0 ? fmt::format("{} strands, which `rivulet export --to usd` and `--to obj` write", n_strands)
                      : std::string("no strands; `rivulet export --to usd` writes the obstacles");
    throw InputError(fmt::format("{}: {} would be empty: the run has no liquid, {} {}", run.string(), format,
                                 n_strands > 0 ? "but" : "and", there));
}

struct Converter {
    std::string format;
    std::function<void(Job&)> write;
    Holds holds = Holds::Liquid;
    bool has_films = true; ///< liquid on strands is written, too
};

std::vector<fs::path> convert(const fs::path& run, const std::string& default_out, const ExportOptions& options,
                              const Converter& converter)
{
    const RunFolder folder = open_run(run);
    return with_threads(options.threads, [&](int) {
        Job job{folder, load_for_pictures(folder, options.overrides), chosen_frames(folder, options.frame),
                options.out.empty() ? folder.file(default_out) : options.out, options};
        require_content(run, job.scene.model, converter.format, converter.holds);
        if (options.message && job.scene.model.wetting && !converter.has_films)
            options.message(converter.format + " files hold the bulk only; `rivulet mesh` and `export --to usd` or " +
                            "`--to obj` write the liquid on strands, too");
        make_folder(job.out);
        converter.write(job);
        return job.files;
    });
}

} // namespace

std::vector<fs::path> mesh_run(const fs::path& run, const ExportOptions& options)
{
    return convert(run, "mesh", options, {"a mesh", export_mesh});
}

std::vector<fs::path> export_run(const fs::path& run, const std::string& format, const ExportOptions& options)
{
    const Converter converters[] = {{"usd", export_usd, Holds::Everything},
                                    {"vdb", export_vdb, Holds::Liquid, false},
                                    {"ply", export_ply, Holds::Liquid, false},
                                    {"obj", export_obj, Holds::LiquidAndStrands}};
    for (const Converter& converter : converters)
        if (format == converter.format) return convert(run, "export/" + format, options, converter);
    throw InputError("--to: '" + format + "' is none of usd, vdb, ply, obj");
}

} // namespace rivulet
