#include "geometry/mesh_parsing.h"

#include <vector>

namespace rivulet {
namespace {

/// Polygons with more corners are taken to be convex: cutting ears costs the square of their number.
constexpr std::size_t kMostEars = 64;

/// Twice the area of the polygon times its mean normal.
Vec3 area_vector(const TriangleMesh& mesh, std::span<const std::int32_t> polygon)
{
    Vec3 sum = Vec3::Zero();
    const Vec3& origin = mesh.vertices[static_cast<std::size_t>(polygon[0])];
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
        sum += (mesh.vertices[static_cast<std::size_t>(polygon[i])] - origin)
                   .cross(mesh.vertices[static_cast<std::size_t>(polygon[i + 1])] - origin);
    return sum;
}

class EarCutter {
public:
    EarCutter(TriangleMesh& mesh, std::span<const std::int32_t> polygon)
        : mesh_(mesh), ring_(polygon.begin(), polygon.end()), normal_(area_vector(mesh, polygon))
    {
    }

    void cut()
    {
        while (ring_.size() > 3) {
            std::size_t ear = 0;
            while (ear < ring_.size() && !is_ear(ear)) ++ear;
            cut_corner(ear < ring_.size() ? ear : 1); // degenerate: any corner will do
        }
        mesh_.triangles.push_back({ring_[0], ring_[1], ring_[2]});
    }

private:
    [[nodiscard]] std::int32_t corner(std::size_t i) const { return ring_[i % ring_.size()]; }
    [[nodiscard]] const Vec3& position(std::size_t i) const
    {
        return mesh_.vertices[static_cast<std::size_t>(corner(i))];
    }
    [[nodiscard]] double side(const Vec3& a, const Vec3& b, const Vec3& x) const
    {
        return (b - a).cross(x - a).dot(normal_);
    }
    [[nodiscard]] bool is_ear(std::size_t i) const
    {
        const std::size_t n = ring_.size();
        const Vec3 &a = position(i + n - 1), &b = position(i), &c = position(i + 1);
        if (side(a, b, c) <= 0) return false;
        for (std::size_t k = i + 2; k < i + n - 1; ++k) {
            const Vec3& x = position(k);
            if (side(a, b, x) >= 0 && side(b, c, x) >= 0 && side(c, a, x) >= 0) return false;
        }
        return true;
    }
    void cut_corner(std::size_t i)
    {
        mesh_.triangles.push_back({corner(i + ring_.size() - 1), corner(i), corner(i + 1)});
        ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(i));
    }

    TriangleMesh& mesh_;
    std::vector<std::int32_t> ring_;
    Vec3 normal_;
};

} // namespace

void append_polygon(TriangleMesh& mesh, std::span<const std::int32_t> polygon)
{
    if (polygon.size() > 3 && polygon.size() <= kMostEars) return EarCutter(mesh, polygon).cut();
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
        mesh.triangles.push_back({polygon[0], polygon[i], polygon[i + 1]});
}

} // namespace rivulet
