#include "run/frame.h"

#include "base/error.h"
#include "io/hdf5_file.h"
#include "sim/film_thickness.h"

#include <algorithm>

namespace rivulet {
namespace {

std::vector<float> narrowed(const std::vector<Vec3>& values)
{
    std::vector<float> flat;
    flat.reserve(3 * values.size());
    for (const Vec3& v : values)
        for (int a = 0; a < 3; ++a) flat.push_back(static_cast<float>(v[a]));
    return flat;
}

std::vector<float> narrowed(const std::vector<double>& values)
{
    std::vector<float> flat;
    flat.reserve(values.size());
    for (const double v : values) flat.push_back(static_cast<float>(v));
    return flat;
}

void write_vectors(Hdf5Writer& writer, const std::string& name, const std::vector<Vec3>& values, const char* unit)
{
    writer.dataset(name, {Hdf5Type::Float32, static_cast<std::int64_t>(values.size()), 3}, narrowed(values).data(),
                   unit);
}

void write_scalars(Hdf5Writer& writer, const std::string& name, const std::vector<double>& values, const char* unit)
{
    writer.dataset(name, {Hdf5Type::Float32, static_cast<std::int64_t>(values.size()), 1}, narrowed(values).data(),
                   unit);
}

std::vector<float> read_floats(const Hdf5Reader& reader, const std::string& name, std::int64_t count, int components)
{
    std::vector<float> flat(static_cast<std::size_t>(count) * static_cast<std::size_t>(components));
    reader.read(name, {Hdf5Type::Float32, count, components}, flat.data());
    return flat;
}

std::vector<Vec3> read_vectors(const Hdf5Reader& reader, const std::string& name, std::int64_t count)
{
    const std::vector<float> flat = read_floats(reader, name, count, 3);
    std::vector<Vec3> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = Vec3(flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]);
    return values;
}

std::vector<double> read_scalars(const Hdf5Reader& reader, const std::string& name, std::int64_t count)
{
    const std::vector<float> flat = read_floats(reader, name, count, 1);
    return {flat.begin(), flat.end()};
}

void write_bodies(Hdf5Writer& writer, const Model& model, double time)
{
    std::vector<std::string> names;
    std::vector<double> positions, rotations;
    for (const Obstacle& obstacle : model.obstacles) {
        const Pose pose = obstacle.motion.pose(time);
        names.push_back(obstacle.name);
        positions.insert(positions.end(), pose.position.data(), pose.position.data() + 3);
        const Quat& q = pose.rotation;
        rotations.insert(rotations.end(), {q.w(), q.x(), q.y(), q.z()});
    }
    const auto n = static_cast<std::int64_t>(names.size());
    writer.strings("bodies/name", names);
    writer.dataset("bodies/position", {Hdf5Type::Float64, n, 3}, positions.data(), "m");
    writer.dataset("bodies/rotation", {Hdf5Type::Float64, n, 4}, rotations.data());
}

void read_bodies(const Hdf5Reader& reader, Frame& frame)
{
    frame.body_names = reader.strings("bodies/name");
    const auto n = static_cast<std::int64_t>(frame.body_names.size());
    std::vector<double> positions(static_cast<std::size_t>(3 * n)), rotations(static_cast<std::size_t>(4 * n));
    reader.read("bodies/position", {Hdf5Type::Float64, n, 3}, positions.data());
    reader.read("bodies/rotation", {Hdf5Type::Float64, n, 4}, rotations.data());
    for (std::size_t i = 0; i < frame.body_names.size(); ++i) {
        const double* q = rotations.data() + 4 * i;
        frame.body_poses.push_back({Vec3(positions.data() + 3 * i), Quat(q[0], q[1], q[2], q[3])});
    }
}

/// Without wetting strands are dry: the datasets are there, so that readers need not ask, and hold zeros.
void write_films(Hdf5Writer& writer, const Model& model, const State& state)
{
    std::vector<double> pool = state.film.pool, flow = state.film.flow;
    pool.resize(model.strands.material.size(), 0.0);
    flow.resize(state.strands.position.size(), 0.0);
    write_scalars(writer, "strands/film_thickness", film_thicknesses(model, state), "m");
    write_scalars(writer, "strands/film_flow", flow, "m/s");
    write_scalars(writer, "strands/pool", pool, "m3");
    const auto n_links = static_cast<std::int64_t>(state.bridges.size());
    writer.dataset("bridges/a", {Hdf5Type::Int32, n_links, 1}, state.bridges.a.data());
    writer.dataset("bridges/b", {Hdf5Type::Int32, n_links, 1}, state.bridges.b.data());
}

std::vector<double> edge_strains(const StrandModel& strands, const StrandState& state)
{
    std::vector<double> strain(state.position.size(), 0.0);
    for (std::size_t v = 0; v + 1 < strain.size(); ++v)
        if (strands.rest_length[v] > 0) // 0 for the last vertex of a strand
            strain[v] = (state.position[v + 1] - state.position[v]).norm() / strands.rest_length[v] - 1;
    return strain;
}

/// Forces of the last step's contacts, half at each end of the edges that touch; ends that touch an obstacle bear all.
std::vector<double> contact_loads(const ContactMemory& contacts, std::size_t n_vertices)
{
    std::vector<double> load(n_vertices, 0.0);
    const auto add = [&](std::int32_t edge, double share, double force) {
        load.at(static_cast<std::size_t>(edge)) += (1 - share) * force;
        load.at(static_cast<std::size_t>(edge) + 1) += share * force;
    };
    for (std::size_t i = 0; i < contacts.a.size(); ++i) {
        const double force = contacts.force[i].norm();
        const std::int32_t b = contacts.b[i];
        add(contacts.a[i], b < 0 ? 0.5 * ((-b - 1) % 3) : 0.5, force);
        if (b >= 0) add(b, 0.5, force);
    }
    return load;
}

/// `radius`: of each strand where it is as thick as its material.
std::vector<double> vertex_radii(const StrandModel& strands, const std::vector<double>& radius)
{
    std::vector<double> at(strands.scale);
    for (std::size_t s = 0; s < radius.size(); ++s)
        for (auto v = static_cast<std::size_t>(strands.first[s]); v < static_cast<std::size_t>(strands.first[s + 1]);
             ++v)
            at[v] *= radius[s];
    return at;
}

void write_strands(Hdf5Writer& writer, const Model& model, const State& whole)
{
    const StrandState& state = whole.strands;
    const StrandModel& strands = model.strands;
    const std::int64_t n = strands.n_strands();
    std::vector<std::int32_t> group;
    std::vector<double> radius;
    std::vector<std::string> names;
    for (const StrandGroup& g : model.strand_groups) {
        group.insert(group.end(), static_cast<std::size_t>(g.n_strands), static_cast<std::int32_t>(names.size()));
        names.push_back(g.name);
    }
    for (const std::int32_t m : strands.material) {
        const RodMaterial& material = strands.materials[static_cast<std::size_t>(m)];
        radius.push_back(std::max(material.radius_a, material.radius_b));
    }
    write_vectors(writer, "strands/position", state.position, "m");
    write_vectors(writer, "strands/velocity", state.velocity, "m/s");
    write_scalars(writer, "strands/strain", edge_strains(strands, state), "1");
    write_scalars(writer, "strands/contact_force", contact_loads(whole.strand_contacts, state.position.size()), "N");
    writer.dataset("strands/first", {Hdf5Type::Int32, n + 1, 1}, strands.first.data());
    writer.dataset("strands/group", {Hdf5Type::Int32, n, 1}, group.data());
    write_scalars(writer, "strands/radius", radius, "m");
    if (!strands.scale.empty()) write_scalars(writer, "strands/vertex_radius", vertex_radii(strands, radius), "m");
    writer.strings("strand_groups/name", names);
}

void read_strands(const Hdf5Reader& reader, const std::string& path, Frame& frame)
{
    const std::int64_t n = reader.shape("strands/position").count, n_strands = reader.shape("strands/group").count;
    frame.strand_position = read_vectors(reader, "strands/position", n);
    frame.strand_velocity = read_vectors(reader, "strands/velocity", n);
    frame.strand_first.resize(static_cast<std::size_t>(n_strands) + 1);
    frame.strand_group.resize(static_cast<std::size_t>(n_strands));
    reader.read("strands/first", {Hdf5Type::Int32, n_strands + 1, 1}, frame.strand_first.data());
    reader.read("strands/group", {Hdf5Type::Int32, n_strands, 1}, frame.strand_group.data());
    frame.strand_radius = read_scalars(reader, "strands/radius", n_strands);
    if (reader.has("strands/vertex_radius")) frame.vertex_radius = read_scalars(reader, "strands/vertex_radius", n);
    frame.strand_strain = read_scalars(reader, "strands/strain", n);
    frame.strand_contact = read_scalars(reader, "strands/contact_force", n);
    frame.film_thickness = read_scalars(reader, "strands/film_thickness", n);
    frame.pool = read_scalars(reader, "strands/pool", n_strands);
    frame.strand_group_names = reader.strings("strand_groups/name");
    if (frame.strand_first.front() != 0 || frame.strand_first.back() != n ||
        !std::is_sorted(frame.strand_first.begin(), frame.strand_first.end()))
        throw IoError(path + ": strands/first does not number the vertices");
    const std::int64_t n_links = reader.shape("bridges/a").count;
    frame.bridge_a.resize(static_cast<std::size_t>(n_links));
    frame.bridge_b.resize(static_cast<std::size_t>(n_links));
    reader.read("bridges/a", {Hdf5Type::Int32, n_links, 1}, frame.bridge_a.data());
    reader.read("bridges/b", {Hdf5Type::Int32, n_links, 1}, frame.bridge_b.data());
}

} // namespace

void write_frame(const std::filesystem::path& path, const Model& model, const State& state)
{
    const LiquidParticles& liquid = state.liquid;
    Hdf5Writer writer(static_cast<std::size_t>(liquid.size()) * 56 +
                      static_cast<std::size_t>(state.strands.size()) * 40 + state.bridges.size() * 8 + (1 << 16));
    writer.attribute("/", "kind", "frame");
    writer.attribute("/", "version", kFrameVersion);
    writer.attribute("/", "program", RIVULET_VERSION);
    writer.attribute("/", "frame", state.clock.frame);
    writer.attribute("/", "step", state.clock.step);
    writer.attribute("/", "time", state.clock.time);
    write_vectors(writer, "liquid/position", liquid.position, "m");
    std::vector<Vec3> velocity(liquid.velocity.size());
    for (std::size_t p = 0; p < velocity.size(); ++p) velocity[p] = velocity_ahead(state, p, 2);
    write_vectors(writer, "liquid/velocity", velocity, "m/s");
    write_scalars(writer, "liquid/volume", liquid.volume, "m3");
    writer.dataset("liquid/pressure", {Hdf5Type::Float32, liquid.size(), 1}, liquid.pressure.data(), "Pa");
    writer.dataset("liquid/colour", {Hdf5Type::Float32, liquid.size(), 3}, liquid.colour.data());
    writer.dataset("liquid/liquid", {Hdf5Type::Int32, liquid.size(), 1}, liquid.liquid.data());
    writer.dataset("liquid/id", {Hdf5Type::Int64, liquid.size(), 1}, liquid.id.data());
    std::vector<std::string> names;
    for (const Liquid& kind : model.liquids) names.push_back(kind.name);
    writer.strings("liquids/name", names);
    write_bodies(writer, model, state.clock.time);
    write_strands(writer, model, state);
    write_films(writer, model, state);
    writer.save(path);
}

Frame read_frame(const std::filesystem::path& path)
{
    const Hdf5Reader reader(path);
    if (!reader.has_attribute("/", "kind") || reader.text("/", "kind") != "frame")
        throw IoError(path.string() + ": not a frame");
    if (reader.integer("/", "version") != kFrameVersion)
        throw IoError(path.string() + ": frame layout " + std::to_string(reader.integer("/", "version")) +
                      ", this program reads " + std::to_string(kFrameVersion));
    Frame frame;
    frame.number = reader.integer("/", "frame");
    frame.step = reader.integer("/", "step");
    frame.time = reader.number("/", "time");
    const std::int64_t n = reader.shape("liquid/position").count;
    frame.position = read_vectors(reader, "liquid/position", n);
    frame.velocity = read_vectors(reader, "liquid/velocity", n);
    frame.volume = read_scalars(reader, "liquid/volume", n);
    frame.pressure = read_scalars(reader, "liquid/pressure", n);
    frame.colour = read_vectors(reader, "liquid/colour", n);
    frame.liquid.resize(static_cast<std::size_t>(n));
    reader.read("liquid/liquid", {Hdf5Type::Int32, n, 1}, frame.liquid.data());
    frame.id.resize(static_cast<std::size_t>(n));
    reader.read("liquid/id", {Hdf5Type::Int64, n, 1}, frame.id.data());
    frame.liquid_names = reader.strings("liquids/name");
    read_bodies(reader, frame);
    read_strands(reader, path.string(), frame);
    return frame;
}

} // namespace rivulet
