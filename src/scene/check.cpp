#include "geometry/shapes.h"
#include "scene/build.h"
#include "scene/read.h"
#include "scene/resolve.h"

#include <fmt/format.h>

#include <map>

namespace rivulet {
namespace {

constexpr double kMaxCells = 1 << 20;   // along an axis
constexpr double kMaxParticles = 4e9;   // at the start
constexpr double kParticlesPerCell = 8; // as the bodies are seeded
constexpr double kMaxFrames = 1e7;

/// Member of a table that may have problems: null when it is not there.
template <class T>
const T* peek(const Value* table, std::string_view key)
{
    const Value* member = table ? table->find(key) : nullptr;
    return member ? member->as<T>() : nullptr;
}

Aabb overlap(const Aabb& a, const Aabb& b) { return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)}; }

class Checker {
public:
    Checker(const Value& root, const ShapeMap& shapes, Problems& problems)
        : root_(root), shapes_(shapes), problems_(problems)
    {
    }

    void run()
    {
        check_domain();
        check_times();
        check_liquids();
        check_placed("bodies");
        check_placed("sources");
        check_placed("drains");
        for (const char* group : {"obstacles", "sources", "drains"})
            each(group, [&](const std::string& path, const Value& object) { check_motion(path, object); });
        for (const char* group : {"sources", "drains"})
            each(group, [&](const std::string& path, const Value& object) { check_interval(path, object); });
        check_probes();
        check_camera();
        check_colours();
        check_particles();
    }

private:
    template <class Visitor>
    void each(const char* group, Visitor&& visit) const
    {
        if (const auto* members = peek<Value::Table>(&root_, group))
            for (const auto& [name, member] : *members) visit(fmt::format("{}.{}", group, name), member);
    }

    void check_domain()
    {
        const Value* domain = root_.find("domain");
        const auto *lower = peek<Vec3>(domain, "lower"), *upper = peek<Vec3>(domain, "upper");
        if (!lower || !upper) return;
        const Where where = domain->find("upper")->where;
        if ((lower->array() >= upper->array()).any()) {
            problems_.add(where, "domain.upper", "must be above domain.lower along every axis");
            return;
        }
        box_ = {*lower, *upper};
        const auto* cell = peek<double>(root_.find("simulation"), "cell_size");
        if (!cell) return;
        cell_size_ = *cell;
        const double cells = box_.size().maxCoeff() / cell_size_;
        const Where cell_where = root_.find("simulation")->find("cell_size")->where;
        if (cells > kMaxCells)
            problems_.add(
                cell_where, "simulation.cell_size",
                fmt::format("gives {:.3g} cells along an axis of the domain; allowed: at most {}", cells, kMaxCells));
        if (box_.size().minCoeff() < cell_size_)
            problems_.add(cell_where, "simulation.cell_size",
                          fmt::format("is larger than the domain; allowed: at most {} m", box_.size().minCoeff()));
    }

    void check_times()
    {
        const Value* simulation = root_.find("simulation");
        const auto *least = peek<double>(simulation, "min_step"), *most = peek<double>(simulation, "max_step");
        if (least && most && *least > *most)
            problems_.add(simulation->find("min_step")->where, "simulation.min_step",
                          fmt::format("{} s is above max_step; allowed: at most {} s", *least, *most));
        const auto *end = peek<double>(simulation, "end_time"), *rate = peek<double>(simulation, "frame_rate"),
                   *interval = peek<double>(simulation, "frame_interval");
        if (!end || (!rate && !interval)) return;
        const double frames = interval ? *end / *interval : *end * *rate;
        if (frames > kMaxFrames)
            problems_.add(simulation->find("end_time")->where, "simulation.end_time",
                          fmt::format("{:.3g} frames; allowed: at most {:.0e}", frames, kMaxFrames));
    }

    /// ledger.csv has a row for each liquid and one for their sum.
    void check_liquids()
    {
        each("liquids", [&](const std::string& path, const Value& liquid) {
            if (path == "liquids.total")
                problems_.add(liquid.where, path, "is the name of the sum in ledger.csv; allowed: any other name");
        });
    }

    /// World bounds of an object that does not move; empty when they are not known.
    [[nodiscard]] Aabb resting_bounds(const Value& object) const
    {
        const auto shape = shapes_.find(object.find("shape"));
        const Value *position = object.find("position"), *rotation = object.find("rotation");
        const bool is_posed = position && (!rotation || is_complete(scene_record("rotation"), *rotation));
        if (shape == shapes_.end() || !is_posed) return {};
        return make_placed(shape->second, build_pose(object))->bounds();
    }

    /// Liquid that is put, enters or leaves outside of the domain is a mistake.
    void check_placed(const char* group)
    {
        if (box_.is_empty()) return;
        each(group, [&](const std::string& path, const Value& object) {
            const Aabb bounds = resting_bounds(object);
            if (bounds.is_empty() || !overlap(bounds, box_).is_empty()) return;
            // The shape may come from elsewhere; what moved it out is to blame, where it was moved.
            const auto* position = peek<Vec3>(&object, "position");
            const char* key = position && *position != Vec3::Zero() ? "position" : "shape";
            problems_.add(object.find(key)->where, fmt::format("{}.{}", path, key),
                          key == std::string_view("shape")
                              ? "lies outside of the domain; allowed: shapes that overlap it"
                              : "puts it outside of the domain; allowed: places where its shape overlaps it");
        });
    }

    void check_motion(const std::string& path, const Value& object)
    {
        const auto* keyframes = peek<Value::List>(object.find("motion"), "keyframes");
        if (!keyframes) return;
        for (std::size_t i = 1; i < keyframes->size(); ++i) {
            const auto *before = peek<double>(&(*keyframes)[i - 1], "time"),
                       *time = peek<double>(&(*keyframes)[i], "time");
            if (before && time && *time <= *before)
                problems_.add(
                    (*keyframes)[i].find("time")->where, fmt::format("{}.motion.keyframes[{}].time", path, i),
                    fmt::format("{} s is not after the keyframe before; allowed: above {} s", *time, *before));
        }
    }

    void check_interval(const std::string& path, const Value& object)
    {
        const auto *start = peek<double>(&object, "start"), *stop = peek<double>(&object, "stop");
        if (start && stop && *stop <= *start)
            problems_.add(object.find("stop")->where, path + ".stop",
                          fmt::format("{} s is not after start; allowed: above {} s", *stop, *start));
    }

    void check_probes()
    {
        each("probes", [&](const std::string& path, const Value& probe) {
            if (path == "probes.time" || path == "probes.step") // probes.csv has a column of that name
                problems_.add(probe.where, path, "is a column of the clock in probes.csv; allowed: any other name");
            const auto* point = peek<Vec3>(&probe, "point");
            if (point && !box_.is_empty() && !box_.contains(*point))
                problems_.add(probe.find("point")->where, path + ".point", "lies outside of the domain");
        });
    }

    void check_camera()
    {
        const Value* camera = root_.find("camera");
        const auto *position = peek<Vec3>(camera, "position"), *target = peek<Vec3>(camera, "target");
        if (position && target && (*position - *target).norm() < 1e-9)
            problems_.add(camera->find("target")->where, "camera.target", "must be away from camera.position");
        else if (const auto* up = peek<Vec3>(camera, "up");
                 position && target && up && (*target - *position).normalized().cross(up->normalized()).norm() < 1e-6)
            problems_.add(camera->find("target")->where, "camera.target",
                          "must not lie along camera.up from camera.position");
    }

    /// What pictures colour strands by must be there, and its range in its unit.
    void check_colours()
    {
        const Value* render = root_.find("render");
        const auto* by = peek<std::string>(render, "colour_by");
        if (!by) return;
        const auto* law = peek<std::string>(root_.find("simulation"), "strand_contact");
        const auto* strands = peek<Value::Table>(&root_, "strands");
        const auto refuse = [&](const char* why) {
            problems_.add(render->find("colour_by")->where, "render.colour_by", fmt::format("\"{}\" {}", *by, why));
        };
        if (*by != "material" && (!strands || strands->empty())) refuse("colours strands, and the scene has none");
        if (*by == "film" && !root_.find("wetting")) refuse("needs a table [wetting]");
        if (*by == "contact" && law && *law != "cone") refuse("needs strand_contact = \"cone\"");
        const std::map<std::string, const char*> units{
            {"speed", "m/s"}, {"tension", "N"}, {"strain", ""}, {"contact", "N"}, {"film", "m"}};
        const auto unit = units.find(*by);
        for (const char* key : {"colour_from", "colour_to"})
            if (const Value* limit = render->find(key))
                check_limit(*limit, key, *by, unit == units.end() ? nullptr : unit->second);
        const auto *from = peek<double>(render, "colour_from"), *to = peek<double>(render, "colour_to");
        if (from && to && !(*to > *from))
            problems_.add(render->find("colour_to")->where, "render.colour_to", "must be larger than `colour_from`");
    }

    void check_limit(const Value& limit, const char* key, const std::string& by, const char* unit)
    {
        const std::string path = std::string("render.") + key;
        if (!unit) return problems_.add(limit.where, path, fmt::format("has no meaning with colour_by = \"{}\"", by));
        const Quantity written = limit.written.empty() ? Quantity{} : parse_quantity(limit.written);
        const Dimension dimension = parse_unit(unit).dimension;
        if (written.has_unit && written.dimension != dimension)
            problems_.add(limit.where, path,
                          fmt::format("\"{}\" is {}; allowed: {}", limit.written, dimension_phrase(written.dimension),
                                      *unit ? std::string("a number, or text in units of ") + unit : "a number"));
    }

    void check_particles()
    {
        if (box_.is_empty() || cell_size_ <= 0) return;
        double volume = 0;
        each("bodies", [&](const std::string&, const Value& body) {
            const Aabb inside = overlap(resting_bounds(body), box_);
            if (!inside.is_empty()) volume += inside.size().prod();
        });
        const double particles = kParticlesPerCell * volume / (cell_size_ * cell_size_ * cell_size_);
        if (particles > kMaxParticles)
            problems_.add(
                root_.find("simulation")->find("cell_size")->where, "simulation.cell_size",
                fmt::format("gives up to {:.2g} particles; allowed: at most {:.0e}", particles, kMaxParticles));
    }

    const Value& root_;
    const ShapeMap& shapes_;
    Problems& problems_;
    Aabb box_;
    double cell_size_ = 0;
};

} // namespace

void check_meaning(const Value& root, const ShapeMap& shapes, Problems& problems)
{
    Checker(root, shapes, problems).run();
}

} // namespace rivulet
