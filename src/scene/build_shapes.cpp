#include "base/error.h"
#include "geometry/mesh_io.h"
#include "geometry/shapes.h"
#include "scene/build.h"
#include "scene/read.h"
#include "scene/resolve.h"

#include <fmt/format.h>

namespace rivulet {
namespace {

Vec3 rotation_vector(const Value& object)
{
    const Value* rotation = object.find("rotation");
    if (!rotation) return Vec3::Zero();
    return vector(*rotation, "axis").normalized() * number(*rotation, "angle");
}

Easing easing_of(const std::string& word)
{
    static const std::map<std::string, Easing, std::less<>> kEasings{{"linear", Easing::Linear},
                                                                     {"smooth", Easing::Smooth},
                                                                     {"in", Easing::In},
                                                                     {"out", Easing::Out},
                                                                     {"step", Easing::Step}};
    return kEasings.at(word);
}

ShapePtr mesh_shape(const Value& shape)
{
    TriangleMesh mesh = read_mesh(text(shape, "file"));
    for (Vec3& vertex : mesh.vertices) vertex *= number(shape, "scale");
    return make_mesh_shape(mesh);
}

class ShapeBuilder {
public:
    explicit ShapeBuilder(Problems& problems) : problems_(problems) {}

    /// Null, with a problem added, if the shape cannot be made; null alone if its table has problems already.
    ShapePtr build(const Value& shape, const std::string& path)
    {
        if (!is_complete(scene_record("shape"), shape)) return nullptr;
        try {
            ShapePtr plain = unplaced(shape, path);
            if (!plain) return nullptr;
            const Pose pose = build_pose(shape);
            const bool is_moved = pose.position != Vec3::Zero() || shape.find("rotation");
            return is_moved ? make_placed(std::move(plain), pose) : plain;
        } catch (const InputError& error) {
            problems_.add(shape.where, path, error.what());
        } catch (const IoError& error) {
            problems_.add(shape.where, path, error.what());
        }
        return nullptr;
    }

private:
    ShapePtr unplaced(const Value& shape, const std::string& path)
    {
        const std::string& type = text(shape, "type");
        if (type == "box") return make_box(vector(shape, "lower"), vector(shape, "upper"));
        if (type == "sphere") return make_sphere(vector(shape, "centre"), number(shape, "radius"));
        if (type == "ellipsoid") return make_ellipsoid(vector(shape, "centre"), vector(shape, "radii"));
        if (type == "capsule")
            return make_capsule(vector(shape, "start"), vector(shape, "end"), number(shape, "radius"));
        if (type == "cylinder")
            return make_cylinder(vector(shape, "start"), vector(shape, "end"), number(shape, "radius"));
        if (type == "torus")
            return make_torus(vector(shape, "centre"), vector(shape, "axis"), number(shape, "major_radius"),
                              number(shape, "minor_radius"));
        if (type == "plane") return make_plane(vector(shape, "point"), vector(shape, "normal"));
        if (type == "mesh") return mesh_shape(shape);
        return combined(shape, path, type == "union");
    }

    ShapePtr combined(const Value& shape, const std::string& path, bool is_union)
    {
        std::vector<ShapePtr> parts;
        const auto& list = get<Value::List>(shape, "shapes");
        for (std::size_t i = 0; i < list.size(); ++i)
            parts.push_back(build(list[i], fmt::format("{}.shapes[{}]", path, i)));
        for (const ShapePtr& part : parts)
            if (!part) return nullptr;
        if (is_union || parts.size() == 1) return parts.size() == 1 ? parts.front() : make_union(std::move(parts));
        ShapePtr first = parts.front();
        parts.erase(parts.begin());
        return make_difference(std::move(first), parts.size() == 1 ? parts.front() : make_union(std::move(parts)));
    }

    Problems& problems_;
};

} // namespace

Pose build_pose(const Value& object)
{
    Pose pose;
    pose.position = vector(object, "position");
    const Vec3 turn = rotation_vector(object);
    const double angle = turn.norm();
    if (angle > 0) pose.rotation = Quat(Eigen::AngleAxisd(angle, turn / angle));
    return pose;
}

Motion build_motion(const Value& object)
{
    Motion motion;
    const Value* script = object.find("motion");
    if (!script) {
        const Vec3 position = vector(object, "position"), rotation = rotation_vector(object);
        if (position != Vec3::Zero() || rotation != Vec3::Zero())
            motion.keyframes.push_back({0, position, rotation, Easing::Linear});
        return motion;
    }
    for (const Value& key : get_or(*script, "keyframes", Value::List{}))
        motion.keyframes.push_back(
            {number(key, "time"), vector(key, "position"), rotation_vector(key), easing_of(text(key, "easing"))});
    motion.drift = vector(*script, "drift");
    if (const Value* spin = script->find("spin"))
        motion.spin = vector(*spin, "axis").normalized() * number(*spin, "rate");
    return motion;
}

ShapeMap build_shapes(const Value& root, Problems& problems)
{
    ShapeMap shapes;
    ShapeBuilder builder(problems);
    for (const Key& group : scene_records().front().keys) {
        const Value* members = group.kind == KeyKind::NamedTables ? root.find(group.name) : nullptr;
        if (!members) continue;
        for (const auto& [name, member] : *members->as<Value::Table>())
            for (const Key& key : scene_record(group.record).keys)
                if (const Value* shape = key.record == "shape" ? member.find(key.name) : nullptr)
                    if (auto built = builder.build(*shape, fmt::format("{}.{}.{}", group.name, name, key.name)))
                        shapes[shape] = std::move(built);
    }
    return shapes;
}

} // namespace rivulet
