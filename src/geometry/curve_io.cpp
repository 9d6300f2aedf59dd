#include "geometry/curve_io.h"

#include "geometry/mesh_parsing.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>

namespace rivulet {
namespace {

/// Two edges at most meet at a vertex: -1 = none.
using Meeting = std::array<std::int32_t, 2>;

std::vector<Meeting> edges_at_vertices(std::size_t n_vertices, std::span<const std::array<std::int32_t, 2>> edges,
                                       const std::string& name)
{
    std::vector<Meeting> at(n_vertices, {-1, -1});
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (edges[e][0] == edges[e][1])
            throw InputError(name + ": edge " + std::to_string(e) + " ends where it begins");
        for (const std::int32_t v : edges[e]) {
            Meeting& meeting = at[static_cast<std::size_t>(v)];
            if (meeting[1] >= 0)
                throw InputError(name + ": more than two edges meet at vertex " + std::to_string(v) + " (from 0)");
            meeting[meeting[0] >= 0 ? 1 : 0] = static_cast<std::int32_t>(e);
        }
    }
    return at;
}

/// Layout of a .hair file: 128 bytes, then the arrays whose bits are set, in the order of the bits.
constexpr std::size_t kHairHeader = 128;
enum HairArray : std::uint32_t { Segments = 1, Points = 2, Thickness = 4, Transparency = 8, Colour = 16 };
constexpr std::uint32_t kHairArrays = 31;

template <class T>
T read_at(std::string_view bytes, std::size_t offset)
{
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

class HairParser {
public:
    HairParser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    Curves parse()
    {
        read_header();
        const std::size_t segments = kHairHeader;
        const std::size_t points = segments + ((arrays_ & Segments) ? n_strands_ * sizeof(std::uint16_t) : 0);
        Curves curves;
        curves.points.reserve(n_points_);
        std::vector<Vec3> strand;
        for (std::size_t s = 0, p = 0; s < n_strands_; ++s) {
            const std::size_t n =
                std::size_t{1} +
                ((arrays_ & Segments) ? read_at<std::uint16_t>(bytes_, segments + 2 * s) : default_segments_);
            if (n > n_points_ - p)
                fail("strand " + std::to_string(s) + " has more points than the " + std::to_string(n_points_) +
                     " of the file leave");
            strand.clear();
            for (std::size_t k = 0; k < n; ++k, ++p) strand.push_back(point(points, p));
            curves.add(strand);
        }
        if (curves.points.size() != n_points_)
            fail("strands have " + std::to_string(curves.points.size()) + " points, the header says " +
                 std::to_string(n_points_));
        add_looks(curves, points + 12 * n_points_);
        return curves;
    }

private:
    void read_header()
    {
        if (bytes_.size() < kHairHeader || bytes_.substr(0, 4) != "HAIR")
            fail("not a HAIR file: it must begin with 'HAIR' and a header of 128 bytes");
        n_strands_ = read_at<std::uint32_t>(bytes_, 4);
        n_points_ = read_at<std::uint32_t>(bytes_, 8);
        arrays_ = read_at<std::uint32_t>(bytes_, 12);
        default_segments_ = read_at<std::uint32_t>(bytes_, 16);
        if ((arrays_ & ~kHairArrays) != 0) fail("has arrays that this format does not know");
        if (!(arrays_ & Points)) fail("has no points");
        if (n_strands_ == 0) fail("has no strands");
        const std::size_t per_point =
            12 + ((arrays_ & Thickness) ? 4 : 0) + ((arrays_ & Transparency) ? 4 : 0) + ((arrays_ & Colour) ? 12 : 0);
        const std::size_t size =
            kHairHeader + ((arrays_ & Segments) ? 2 * n_strands_ : 0) + per_point * n_points_; // below 2^38
        if (bytes_.size() < size)
            fail("ends after " + std::to_string(bytes_.size()) + " of " + std::to_string(size) + " bytes");
    }

    /// Thickness and colour of each strand, from the arrays that begin at `offset`.
    void add_looks(Curves& curves, std::size_t offset) const
    {
        const std::size_t colours =
            offset + ((arrays_ & Thickness) ? 4 * n_points_ : 0) + ((arrays_ & Transparency) ? 4 * n_points_ : 0);
        for (std::size_t s = 0; s < n_strands_; ++s) {
            const auto n = static_cast<double>(curves[s].size());
            double thickness = 0;
            Vec3 colour = Vec3::Zero();
            for (std::size_t p = curves.first[s]; p < curves.first[s + 1]; ++p) {
                if (arrays_ & Thickness) thickness += read_at<float>(bytes_, offset + 4 * p) / n;
                if (arrays_ & Colour)
                    for (std::size_t i = 0; i < 3; ++i)
                        colour[static_cast<int>(i)] += linear_of(read_at<float>(bytes_, colours + 4 * (3 * p + i))) / n;
            }
            if (!std::isfinite(thickness) || !colour.allFinite())
                fail("thickness or colour of strand " + std::to_string(s) + " is not finite");
            if (arrays_ & Thickness) curves.radius.push_back(0.5 * thickness);
            if (arrays_ & Colour) curves.colour.push_back(colour);
        }
    }

    static double linear_of(double srgb)
    {
        const double c = std::clamp(srgb, 0.0, 1.0);
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }

    [[nodiscard]] Vec3 point(std::size_t points, std::size_t p) const
    {
        Vec3 x;
        for (std::size_t axis = 0; axis < 3; ++axis)
            x[static_cast<int>(axis)] = read_at<float>(bytes_, points + 4 * (3 * p + axis));
        if (!x.allFinite()) fail("point " + std::to_string(p) + " is not finite");
        return x;
    }

    [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

    std::string_view bytes_;
    const std::string& name_;
    std::size_t n_strands_ = 0, n_points_ = 0, default_segments_ = 0;
    std::uint32_t arrays_ = 0;
};

} // namespace

void add_chains(Curves& curves, std::span<const Vec3> vertices, std::span<const std::array<std::int32_t, 2>> edges,
                const std::string& name)
{
    const std::vector<Meeting> at = edges_at_vertices(vertices.size(), edges, name);
    std::vector<bool> used(edges.size(), false);
    std::size_t n_used = 0;
    std::vector<Vec3> chain;
    for (std::size_t end = 0; end < vertices.size(); ++end) {
        if (at[end][0] < 0 || at[end][1] >= 0 || used[static_cast<std::size_t>(at[end][0])]) continue;
        chain.assign(1, vertices[end]);
        std::int32_t v = static_cast<std::int32_t>(end), edge = at[end][0];
        while (edge >= 0) {
            const auto e = static_cast<std::size_t>(edge);
            used[e] = true;
            ++n_used;
            v = edges[e][0] == v ? edges[e][1] : edges[e][0];
            chain.push_back(vertices[static_cast<std::size_t>(v)]);
            const Meeting& next = at[static_cast<std::size_t>(v)];
            edge = next[0] == edge ? next[1] : next[0];
        }
        curves.add(chain);
    }
    if (n_used < edges.size()) {
        const auto e = static_cast<std::size_t>(std::ranges::find(used, false) - used.begin());
        throw InputError(name + ": the line through vertex " + std::to_string(edges[e][0]) +
                         " (from 0) is closed; strands have two ends");
    }
}

Curves parse_hair(std::string_view bytes, const std::string& name) { return HairParser(bytes, name).parse(); }

Curves read_curves(const std::filesystem::path& path)
{
    std::string ending = path.extension().string();
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (ending == ".obj") return parse_obj_curves(read_geometry_file(path), path.string());
    if (ending == ".ply") return parse_ply_curves(read_geometry_file(path), path.string());
    if (ending == ".hair") return parse_hair(read_geometry_file(path), path.string());
    throw InputError(path.string() + ": strands are read from .obj, .ply and .hair files");
}

} // namespace rivulet
