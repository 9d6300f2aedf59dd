#pragma once

#include "geometry/triangle_mesh.h"

#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace rivulet {

/// Reads a mesh by the ending of its name: .obj, or .ply (text or binary, either byte order, with vertex colours).
/// Polygons are cut into triangles. Raises IoError if the file cannot be read and InputError, with path:line, if it is
/// not a mesh. Memory is bounded by the size of the file, whatever counts it declares.
[[nodiscard]] TriangleMesh read_mesh(const std::filesystem::path& path);

/// The same from bytes in memory; `name` stands for the path in messages.
[[nodiscard]] TriangleMesh parse_obj(std::string_view text, const std::string& name);
[[nodiscard]] TriangleMesh parse_ply(std::string_view bytes, const std::string& name);

/// Wavefront text with nine digits; colours follow the coordinates.
void write_obj(std::ostream& out, const TriangleMesh& mesh);
/// Binary little-endian PLY, single precision; colours as 8-bit sRGB.
void write_ply(std::ostream& out, const TriangleMesh& mesh);

/// A quantity of points: scalars or vectors, one a point. Which of them is known without any point, so that files with
/// and without points have the same layout.
struct PointAttribute {
    std::string name;
    std::variant<std::span<const double>, std::span<const Vec3>> values = {};
};
/// Points with attributes as binary little-endian PLY, single precision. A vector is written as name_x, name_y, name_z,
/// except "colour" (linear RGB): red, green, blue as 8-bit sRGB, which viewers know.
void write_ply_points(std::ostream& out, std::span<const Vec3> positions, std::span<const PointAttribute> attributes);

} // namespace rivulet
