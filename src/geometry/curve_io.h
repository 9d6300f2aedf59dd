#pragma once

#include "geometry/curves.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace rivulet {

/// Reads polylines by the ending of the file's name: .obj (lines, `l`), .ply (element `edge` with vertex1 and vertex2,
/// text or binary, either byte order) or .hair (Cem Yuksel's binary format). Lines of two vertices and edges are joined
/// to chains where they meet. Raises IoError if the file cannot be read and InputError if it is not that. Memory is
/// bounded by the size of the file, whatever counts it declares.
[[nodiscard]] Curves read_curves(const std::filesystem::path& path);

/// The same from bytes in memory; `name` stands for the path in messages.
[[nodiscard]] Curves parse_obj_curves(std::string_view text, const std::string& name);
[[nodiscard]] Curves parse_ply_curves(std::string_view bytes, const std::string& name);
/// A curve's radius is half of the mean thickness of its points, its colour the mean of theirs (which files hold as
/// sRGB); both only where the file has them a point: the defaults of its header, and transparency, are left out.
[[nodiscard]] Curves parse_hair(std::string_view bytes, const std::string& name);

/// Chains of edges, each from the end with the lower vertex number, in the order of those. Raises InputError where more
/// than two edges meet and where a chain has no end.
void add_chains(Curves& curves, std::span<const Vec3> vertices, std::span<const std::array<std::int32_t, 2>> edges,
                const std::string& name);

} // namespace rivulet
