#include "geometry/mesh_io.h"

#include "base/assert.h"
#include "geometry/mesh_parsing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <fstream>
#include <ostream>

namespace rivulet {
namespace {

static_assert(std::endian::native == std::endian::little);

void append_float(std::string& row, double value)
{
    const auto single = static_cast<float>(value);
    row.append(reinterpret_cast<const char*>(&single), sizeof single);
}

void append_vector(std::string& row, const Vec3& v)
{
    for (int axis = 0; axis < 3; ++axis) append_float(row, v[axis]);
}

void append_colour(std::string& row, const Vec3& linear)
{
    for (int c = 0; c < 3; ++c) {
        const double code = 255 * linear_to_srgb(std::clamp(linear[c], 0.0, 1.0));
        row += static_cast<char>(static_cast<unsigned char>(std::lround(code)));
    }
}

constexpr const char* kPlyStart = "ply\nformat binary_little_endian 1.0\ncomment metres\nelement vertex {}\n"
                                  "property float x\nproperty float y\nproperty float z\n";
constexpr const char* kPlyColour = "property uchar red\nproperty uchar green\nproperty uchar blue\n";

const std::span<const Vec3>* vectors_of(const PointAttribute& attribute)
{
    return std::get_if<std::span<const Vec3>>(&attribute.values);
}

std::size_t size_of(const PointAttribute& attribute)
{
    return std::visit([](const auto& values) { return values.size(); }, attribute.values);
}

std::string attribute_header(const PointAttribute& attribute)
{
    if (!vectors_of(attribute)) return fmt::format("property float {}\n", attribute.name);
    if (attribute.name == "colour") return kPlyColour;
    return fmt::format("property float {0}_x\nproperty float {0}_y\nproperty float {0}_z\n", attribute.name);
}

void append_attribute(std::string& row, const PointAttribute& attribute, std::size_t i)
{
    if (const auto* vectors = vectors_of(attribute))
        attribute.name == "colour" ? append_colour(row, (*vectors)[i]) : append_vector(row, (*vectors)[i]);
    else
        append_float(row, std::get<std::span<const double>>(attribute.values)[i]);
}

} // namespace

std::string read_geometry_file(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path)) throw IoError(path.string() + ": cannot be read");
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (file.bad()) throw IoError(path.string() + ": reading failed");
    return bytes;
}

TriangleMesh read_mesh(const std::filesystem::path& path)
{
    std::string ending = path.extension().string();
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (ending == ".obj") return parse_obj(read_geometry_file(path), path.string());
    if (ending == ".ply") return parse_ply(read_geometry_file(path), path.string());
    throw InputError(path.string() + ": meshes are read from .obj and .ply files");
}

void write_obj(std::ostream& out, const TriangleMesh& mesh)
{
    out << fmt::format("# {} vertices [m], {} triangles\n", mesh.vertices.size(), mesh.triangles.size());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        const Vec3& x = mesh.vertices[v];
        out << fmt::format("v {:.9g} {:.9g} {:.9g}", x.x(), x.y(), x.z());
        if (!mesh.colours.empty()) {
            const Vec3& c = mesh.colours[v];
            out << fmt::format(" {:.6g} {:.6g} {:.6g}", c.x(), c.y(), c.z());
        }
        out << '\n';
    }
    for (const auto& t : mesh.triangles) out << fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
}

void write_ply(std::ostream& out, const TriangleMesh& mesh)
{
    RIVULET_VERIFY(mesh.colours.empty() || mesh.colours.size() == mesh.vertices.size());
    const bool has_colours = mesh.colours.size() == mesh.vertices.size(); // so has an empty one, for the same layout
    out << fmt::format(fmt::runtime(kPlyStart), mesh.vertices.size()) << (has_colours ? kPlyColour : "")
        << fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n", mesh.triangles.size());
    std::string row;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        row.clear();
        append_vector(row, mesh.vertices[v]);
        if (!mesh.colours.empty()) append_colour(row, mesh.colours[v]);
        out << row;
    }
    for (const auto& t : mesh.triangles) {
        row.assign(1, '\3');
        row.append(reinterpret_cast<const char*>(t.data()), sizeof t);
        out << row;
    }
}

void write_ply_points(std::ostream& out, std::span<const Vec3> positions, std::span<const PointAttribute> attributes)
{
    out << fmt::format(fmt::runtime(kPlyStart), positions.size());
    for (const PointAttribute& attribute : attributes) {
        RIVULET_VERIFY(size_of(attribute) == positions.size());
        out << attribute_header(attribute);
    }
    out << "end_header\n";
    std::string row;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        row.clear();
        append_vector(row, positions[i]);
        for (const PointAttribute& attribute : attributes) append_attribute(row, attribute, i);
        out << row;
    }
}

} // namespace rivulet
