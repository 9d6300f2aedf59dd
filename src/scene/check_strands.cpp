#include "scene/build.h"
#include "scene/materials.h"
#include "scene/read.h"
#include "scene/resolve.h"
#include "scene/strand_joints.h"
#include "scene/vertex_index.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <vector>

namespace rivulet {
namespace {

constexpr double kMaxDrawnVertices = 3e7;
/// Of a strand, as a part of its thickness at the root: its stiffness is 1e-8 times as large there.
constexpr double kThinnestTip = 0.01;
/// Lengths that are meant to be equal may differ by their rounding.
constexpr double kRoundedUp = 1 + 1e-9;

class StrandChecker {
public:
    StrandChecker(const Value& root, const CurveMap& curves, Problems& problems)
        : root_(root), curves_(curves), problems_(problems)
    {
    }

    void run()
    {
        if (!members("strands").empty()) check_law();
        for (const auto& [name, table] : members("strands")) {
            const auto found = curves_.find(&table);
            if (found == curves_.end()) continue;
            check_pins("strands." + name, table, found->second);
            check_loads("strands." + name, table, found->second);
            check_joints("strands." + name, table, found->second);
            check_pictures("strands." + name, table, found->second);
            check_taper("strands." + name, table, found->second);
        }
        check_wetting();
        for (const auto& [name, table] : members("probes"))
            if (is_complete(scene_record("probe"), table) && text(table, "kind").starts_with("strand_"))
                check_probe("probes." + name, table);
    }

private:
    [[nodiscard]] const Value::Table& members(const char* group) const
    {
        static const Value::Table kNone;
        const Value* value = root_.find(group);
        return value ? *value->as<Value::Table>() : kNone;
    }

    void check_law()
    {
        const Value* simulation = root_.find("simulation");
        const Value* law = simulation ? simulation->find("strand_contact") : nullptr;
        const Value* integrator = simulation ? simulation->find("strand_integrator") : nullptr;
        if (!law || !integrator) return;
        const bool is_midpoint = *integrator->as<std::string>() == "midpoint";
        if (is_midpoint && *law->as<std::string>() != "none")
            problems_.add(integrator->where, "simulation.strand_integrator",
                          fmt::format("does not go with strand_contact = \"{}\"; allowed: \"euler\", or "
                                      "strand_contact = \"none\"",
                                      *law->as<std::string>()));
        for (const auto& [name, table] : members("strands")) {
            const Value* joints = table.find("joints");
            if (!joints || joints->as<Value::List>()->empty()) continue;
            if (is_midpoint)
                problems_.add(integrator->where, "simulation.strand_integrator",
                              fmt::format("does not go with joints (strands.{}); allowed: \"euler\"", name));
            if (*law->as<std::string>() == "penalty")
                problems_.add(
                    law->where, "simulation.strand_contact",
                    fmt::format("\"penalty\" does not go with joints (strands.{}); allowed: \"cone\", \"none\"", name));
        }
    }

    void check_wetting()
    {
        const Value* wetting = root_.find("wetting");
        const Value* simulation = root_.find("simulation");
        const Value* integrator = simulation ? simulation->find("strand_integrator") : nullptr;
        if (wetting && integrator && *integrator->as<std::string>() == "midpoint")
            problems_.add(integrator->where, "simulation.strand_integrator",
                          "does not go with [wetting]; allowed: \"euler\"");
        const Value* parts = wetting ? wetting->find("film_parts") : nullptr;
        if (const std::int64_t n = parts ? *parts->as<std::int64_t>() : 1; n > 1 && n < 9 && n % 2 == 0)
            problems_.add(parts->where, "wetting.film_parts", fmt::format("{} is even; allowed: 1, 3, 5, 7, 9", n));
        const Value* spreading = wetting ? wetting->find("spreading") : nullptr;
        const Value* bridges = wetting ? wetting->find("bridges") : nullptr;
        if (spreading && bridges && *spreading->as<bool>() && !*bridges->as<bool>())
            problems_.add(spreading->where, "wetting.spreading", "needs bridges to pass; allowed: bridges = true");
        const Value* law = simulation ? simulation->find("strand_contact") : nullptr;
        if (spreading && law && *spreading->as<bool>() && *law->as<std::string>() == "none")
            problems_.add(
                spreading->where, "wetting.spreading",
                "needs bridges to pass, and strand_contact = \"none\" has none; allowed: \"cone\", \"penalty\"");
        if (wetting && members("strands").empty())
            problems_.add(wetting->where, "wetting", "is about strands, and the scene has none");
        for (const auto& [name, table] : members("strands")) {
            const Value* film = table.find("film");
            if (!film) continue;
            const std::string path = "strands." + name + ".film";
            if (!wetting) problems_.add(film->where, path, "needs a table [wetting] that names its liquid");
            check_film(path, *film, curves_.find(&table));
        }
    }

    void check_film(const std::string& path, const Value& film, CurveMap::const_iterator curves)
    {
        const Value *from = film.find("from"), *to = film.find("to");
        if (!from || !to) return;
        const double begin = *from->as<double>(), end = *to->as<double>();
        if (!(begin < end)) return problems_.add(to->where, path + ".to", "must be larger than `from`");
        if (curves == curves_.end()) return;
        for (std::size_t s = 0; s < curves->second.size(); ++s)
            if (!has_vertex_between(curves->second[s], begin, end))
                return problems_.add(
                    film.where, path,
                    fmt::format("no vertex of strand {} lies from {} to {} of its length; wet a longer "
                                "part, or give the strand more vertices",
                                s, begin, end));
    }

    /// Films live on vertices.
    static bool has_vertex_between(std::span<const Vec3> curve, double from, double to)
    {
        double length = 0, at = 0;
        for (std::size_t v = 1; v < curve.size(); ++v) length += (curve[v] - curve[v - 1]).norm();
        for (std::size_t v = 0; v < curve.size(); ++v) {
            at += v > 0 ? (curve[v] - curve[v - 1]).norm() : 0;
            if (is_covered(at / length, from, to)) return true;
        }
        return false;
    }

    /// The least number of vertices that a strand of the group has.
    static std::size_t fewest_vertices(const Curves& curves)
    {
        std::size_t fewest = curves[0].size();
        for (std::size_t s = 1; s < curves.size(); ++s) fewest = std::min(fewest, curves[s].size());
        return fewest;
    }

    /// A vertex that every strand has; `after` more must follow it.
    bool is_there(const std::string& path, const Value& table, std::size_t n, std::size_t after)
    {
        const Value& number = *table.find("vertex");
        const std::size_t v = vertex_index(*number.as<std::int64_t>(), n);
        if (v + after < n) return true;
        problems_.add(number.where, path + ".vertex",
                      fmt::format("{} is beyond the strand{}; allowed: {} to {}", *number.as<std::int64_t>(),
                                  after > 0 ? "'s last edge" : "", -static_cast<std::int64_t>(n), n - 1 - after));
        return false;
    }

    /// Strands of different lengths are held at different vertices by pins that count from the end.
    void check_pins(const std::string& path, const Value& table, const Curves& curves)
    {
        const auto& pins = get<Value::List>(table, "pins");
        if (get<bool>(table, "sag_free") && (text(table, "held") != "clamp" || !pins.empty()))
            problems_.add(table.find("sag_free")->where, path + ".sag_free",
                          "needs strands that are held by their clamped beginnings alone; allowed: held = \"clamp\" "
                          "without pins");
        std::set<std::size_t> lengths, held_twice;
        for (std::size_t s = 0; s < curves.size(); ++s) lengths.insert(curves[s].size());
        if (lengths.empty()) return;
        for (std::size_t i = 0; i < pins.size(); ++i)
            is_there(pin_path(path, i), pins[i], *lengths.begin(), clamps(pins[i]) ? 1 : 0);
        for (const std::size_t n : lengths)
            for (const std::size_t i : pins_held_twice(table, n))
                if (held_twice.insert(i).second)
                    problems_.add(pins[i].find("vertex")->where, pin_path(path, i) + ".vertex",
                                  lengths.size() == 1 ? "is held already"
                                                      : fmt::format("is held already in strands of {} vertices", n));
    }

    static std::string pin_path(const std::string& path, std::size_t i) { return fmt::format("{}.pins[{}]", path, i); }
    static bool clamps(const Value& pin) { return text(pin, "held") == "clamp"; }

    /// The pins whose vertices others before them hold, in a strand of n vertices.
    static std::vector<std::size_t> pins_held_twice(const Value& table, std::size_t n)
    {
        std::set<std::size_t> held;
        if (text(table, "held") != "free") held.insert(0);
        if (text(table, "held") == "clamp") held.insert(1);
        std::vector<std::size_t> twice;
        const auto& pins = get<Value::List>(table, "pins");
        for (std::size_t i = 0; i < pins.size(); ++i) {
            const std::size_t after = clamps(pins[i]) ? 1 : 0;
            const std::size_t first = vertex_index(get<std::int64_t>(pins[i], "vertex"), n);
            if (first + after >= n) continue; // said by is_there
            bool is_free = true;
            for (std::size_t v = first; v <= first + after; ++v) is_free &= held.insert(v).second;
            if (!is_free) twice.push_back(i);
        }
        return twice;
    }

    void check_loads(const std::string& path, const Value& table, const Curves& curves)
    {
        const auto& loads = get<Value::List>(table, "loads");
        for (std::size_t i = 0; i < loads.size(); ++i) {
            const std::string here = fmt::format("{}.loads[{}]", path, i);
            is_there(here, loads[i], fewest_vertices(curves), 0);
            const Value* stop = loads[i].find("stop");
            if (stop && !(*stop->as<double>() > number(loads[i], "start")))
                problems_.add(stop->where, here + ".stop",
                              fmt::format("{} s is not after start; allowed: above {} s", *stop->as<double>(),
                                          number(loads[i], "start")));
        }
    }

    /// Whether joint i ties a vertex, of any strand, that one before it ties to the same group.
    static bool is_tied_already(const Value::List& joints, std::size_t i, const Curves& curves)
    {
        const auto vertex = [&](std::size_t joint, std::size_t strand) {
            return vertex_index(get<std::int64_t>(joints[joint], "vertex"), curves[strand].size());
        };
        for (std::size_t j = 0; j < i; ++j)
            for (std::size_t s = 0; s < curves.size(); ++s)
                if (text(joints[i], "strands") == text(joints[j], "strands") && vertex(i, s) == vertex(j, s))
                    return true;
        return false;
    }

    void check_joints(const std::string& path, const Value& table, const Curves& curves)
    {
        const auto& joints = get<Value::List>(table, "joints");
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const std::string here = fmt::format("{}.joints[{}]", path, i);
            if (is_tied_already(joints, i, curves))
                problems_.add(joints[i].where, here,
                              fmt::format("ties what is tied to '{}' already", text(joints[i], "strands")));
            const auto other = curves_.find(root_.find("strands")->find(text(joints[i], "strands")));
            if (!is_there(here, joints[i], fewest_vertices(curves), 0) || other == curves_.end()) continue;
            for (std::size_t s = 0; s < curves.size(); ++s) {
                const Vec3& x = curves[s][vertex_index(get<std::int64_t>(joints[i], "vertex"), curves[s].size())];
                const double distance =
                    nearest_place(x, other->second, other->first == &table ? s : kNoStrand).distance;
                if (distance <= kRoundedUp * number(joints[i], "within")) continue;
                const std::string& group = text(joints[i], "strands");
                const std::string reason =
                    std::isinf(distance)
                        ? fmt::format("'{}' has no other strand; strands are not tied to themselves", group)
                        : fmt::format("strand {} is {:.6g} m from the nearest of '{}'; allowed: within {} m", s,
                                      distance, group, number(joints[i], "within"));
                problems_.add(joints[i].find("strands")->where, here + ".strands", reason);
                break;
            }
        }
    }

    void check_pictures(const std::string& path, const Value& table, const Curves& curves)
    {
        const Value& each = *table.find("picture_strands");
        const double n =
            static_cast<double>(*each.as<std::int64_t>() * static_cast<std::int64_t>(curves.points.size()));
        if (n > kMaxDrawnVertices)
            problems_.add(
                each.where, path + ".picture_strands",
                fmt::format("makes it {:.3g} vertices in a picture; allowed: at most {:.0e}", n, kMaxDrawnVertices));
    }

    void check_taper(const std::string& path, const Value& table, const Curves& curves)
    {
        const Value* tip = table.find("tip_radius");
        if (!tip) return;
        const Value* radius = table.find("radius");
        if (!radius && !curves.radius.empty())
            return problems_.add(tip->where, path + ".tip_radius",
                                 "does not go with the thickness that the file gives its points; allowed: `radius` "
                                 "beside it, or none");
        const double thick = get_or(table, "radius", strand_material(text(table, "material")).radius.value);
        const double r = *tip->as<double>();
        if (r <= thick && kRoundedUp * r >= kThinnestTip * thick) return;
        problems_.add(tip->where, path + ".tip_radius",
                      fmt::format("{} m is {} `radius`; allowed: {} m to {} m", r,
                                  r > thick ? "more than" : "less than a hundredth of", kThinnestTip * thick, thick));
    }

    void check_probe(const std::string& path, const Value& probe)
    {
        const Value* group = root_.find("strands")->find(text(probe, "object"));
        const auto found = curves_.find(group);
        if (found == curves_.end()) return;
        const Value* strand = probe.find("strand");
        const auto s = static_cast<std::size_t>(strand ? *strand->as<std::int64_t>() : 0);
        if (s >= found->second.size()) {
            problems_.add(strand->where, path + ".strand",
                          fmt::format("{} is beyond the group; allowed: 0 to {}", s, found->second.size() - 1));
            return;
        }
        if (probe.find("vertex"))
            is_there(path, probe, found->second[s].size(), text(probe, "kind") == "strand_tension" ? 1 : 0);
    }

    const Value& root_;
    const CurveMap& curves_;
    Problems& problems_;
};

} // namespace

void check_strands(const Value& root, const CurveMap& curves, Problems& problems)
{
    StrandChecker(root, curves, problems).run();
}

} // namespace rivulet
