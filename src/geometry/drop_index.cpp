#include "geometry/drop_index.h"

#include "geometry/isosurface.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

constexpr double kCubeSpacings = 8;
constexpr double kLargeSpacings = 32; ///< extent from which on a part is not sorted into cubes

double cross2(const Vec3& a, const Vec3& b) { return a.y() * b.z() - a.z() * b.y(); }

/// Where the line along x through the origin meets a triangle, and the side from which: 1 from inside, -1 from outside,
/// 0 for nowhere.
struct Crossing {
    double x;
    int side;
};
Crossing crossing(const Vec3& a, const Vec3& b, const Vec3& c)
{
    const double w_a = cross2(b, c), w_b = cross2(c, a), w_c = cross2(a, b), area = w_a + w_b + w_c;
    if (area == 0 || std::min({w_a / area, w_b / area, w_c / area}) < 0) return {0, 0};
    return {(w_a * a.x() + w_b * b.x() + w_c * c.x()) / area, area > 0 ? 1 : -1};
}

/// Key of a cube. Those far from each other may share one: distances tell them apart.
std::uint64_t cube_key(const Vec3i& cube)
{
    const auto part = [&](int axis) { return static_cast<std::uint64_t>(cube[axis]) & 0x1fffff; };
    return (part(2) << 42) | (part(1) << 21) | part(0);
}

template <class T>
void sort_unique(std::vector<T>& values)
{
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

} // namespace

DropIndex::DropIndex(const TriangleMesh& mesh, std::span<const ClosedPart> parts, double spacing)
    : mesh_(mesh), parts_(parts), spacing_(spacing)
{
    for (std::size_t k = 0; k < parts.size(); ++k) {
        columns_.push_back(columns_of(parts[k]));
        if (parts[k].box.size().maxCoeff() > kLargeSpacings * spacing) {
            large_.push_back(static_cast<std::int32_t>(k));
            continue;
        }
        const Vec3i lower = cube(parts[k].box.lower), upper = cube(parts[k].box.upper);
        for (int z = lower.z(); z <= upper.z(); ++z)
            for (int y = lower.y(); y <= upper.y(); ++y)
                for (int x = lower.x(); x <= upper.x(); ++x)
                    entries_.emplace_back(block_key({x, y, z}), static_cast<std::int32_t>(k));
    }
    std::sort(entries_.begin(), entries_.end());
}

Vec3i DropIndex::cube(const Vec3& x) const
{
    return (x / (kCubeSpacings * spacing_)).array().floor().cast<int>().matrix();
}

DropIndex::Columns DropIndex::columns_of(const ClosedPart& part) const
{
    Columns columns;
    columns.lower = part.box.lower.tail<2>();
    const Vec3 size = part.box.size() / spacing_;
    columns.n_y = static_cast<int>(size.y()) + 1;
    columns.n_z = static_cast<int>(size.z()) + 1;
    const auto for_each_column = [&](std::int32_t triangle, auto&& visit) {
        Aabb box;
        for (const std::int32_t v : mesh_.triangles[static_cast<std::size_t>(triangle)])
            box.include(mesh_.vertices[static_cast<std::size_t>(v)]);
        const Eigen::Vector2i first = ((box.lower.tail<2>() - columns.lower) / spacing_).cast<int>();
        const Eigen::Vector2i last = ((box.upper.tail<2>() - columns.lower) / spacing_).cast<int>();
        for (int z = first.y(); z <= last.y(); ++z)
            for (int y = first.x(); y <= last.x(); ++y) visit(static_cast<std::size_t>(y + columns.n_y * z));
    };
    columns.begins.assign(static_cast<std::size_t>(columns.n_y * columns.n_z) + 1, 0);
    for (const std::int32_t t : part.triangles) for_each_column(t, [&](std::size_t c) { ++columns.begins[c + 1]; });
    for (std::size_t c = 1; c < columns.begins.size(); ++c) columns.begins[c] += columns.begins[c - 1];
    columns.triangles.resize(static_cast<std::size_t>(columns.begins.back()));
    std::vector<std::int32_t> next = columns.begins;
    for (const std::int32_t t : part.triangles)
        for_each_column(t, [&](std::size_t c) { columns.triangles[static_cast<std::size_t>(next[c]++)] = t; });
    return columns;
}

bool DropIndex::is_inside(std::size_t part, const Vec3& x) const
{
    if (!parts_[part].box.contains(x)) return false;
    const Columns& columns = columns_[part];
    const Eigen::Vector2i at = ((x.tail<2>() - columns.lower) / spacing_).cast<int>();
    const auto column = static_cast<std::size_t>(at.x() + columns.n_y * at.y());
    double nearest = std::numeric_limits<double>::infinity();
    int side = 0;
    for (std::int32_t i = columns.begins[column]; i < columns.begins[column + 1]; ++i) {
        const std::int32_t triangle = columns.triangles[static_cast<std::size_t>(i)];
        const auto& t = mesh_.triangles[static_cast<std::size_t>(triangle)];
        const Crossing met = crossing(mesh_.vertices[static_cast<std::size_t>(t[0])] - x,
                                      mesh_.vertices[static_cast<std::size_t>(t[1])] - x,
                                      mesh_.vertices[static_cast<std::size_t>(t[2])] - x);
        if (met.side == 0 || met.x < 0 || met.x >= nearest) continue;
        nearest = met.x;
        side = met.side;
    }
    return side > 0;
}

std::int32_t DropIndex::holder(const Vec3& x) const
{
    const std::uint64_t key = block_key(cube(x));
    for (auto e = std::lower_bound(entries_.begin(), entries_.end(), Entry{key, -1});
         e != entries_.end() && e->first == key; ++e)
        if (is_inside(static_cast<std::size_t>(e->second), x)) return e->second;
    for (const std::int32_t part : large_)
        if (is_inside(static_cast<std::size_t>(part), x)) return part;
    return -1;
}

NearestVertices::NearestVertices(const TriangleMesh& mesh, const std::vector<std::uint8_t>& is_marked, double radius)
    : mesh_(mesh), radius_(radius)
{
    const auto less = [](const Vec3i& a, const Vec3i& b) {
        return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
    };
    std::vector<Vec3i> cubes;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
        if (is_marked[v] != 0)
            if (const Vec3i c = cube(mesh.vertices[v]); cubes.empty() || cubes.back() != c) cubes.push_back(c);
    std::sort(cubes.begin(), cubes.end(), less);
    cubes.erase(std::unique(cubes.begin(), cubes.end()), cubes.end());
    std::vector<std::uint64_t> keys;
    for (const Vec3i& c : cubes) for_each_neighbour([&](const Vec3i& offset) { keys.push_back(cube_key(c + offset)); });
    sort_unique(keys);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
        if (const std::uint64_t key = cube_key(cube(mesh.vertices[v]));
            is_marked[v] != 0 || std::binary_search(keys.begin(), keys.end(), key))
            entries_.emplace_back(key, static_cast<std::int32_t>(v));
    std::sort(entries_.begin(), entries_.end());
}

Vec3i NearestVertices::cube(const Vec3& x) const { return (x / radius_).array().floor().cast<int>().matrix(); }

std::pair<const NearestVertices::Entry*, const NearestVertices::Entry*>
NearestVertices::vertices_in(const Vec3i& cube) const
{
    const std::uint64_t key = cube_key(cube);
    const Entry* last = entries_.data() + entries_.size();
    const Entry* begin = std::lower_bound(entries_.data(), last, Entry{key, -1});
    const Entry* end = begin;
    while (end != last && end->first == key) ++end;
    return {begin, end};
}

} // namespace rivulet
