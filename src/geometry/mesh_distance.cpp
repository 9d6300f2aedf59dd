#include "geometry/mesh_distance.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace rivulet {
namespace {

constexpr std::int32_t kLeafFaces = 4;
constexpr int kSeedCells = 32; ///< along the longest side of the bounds

struct TrianglePoint {
    Vec3 point;
    int feature;
};

/// Nearest point of triangle abc and the feature it lies on: regions of Voronoi, one after the other.
TrianglePoint nearest_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c)
{
    const Vec3 ab = b - a, ac = c - a, ax = x - a;
    const double d1 = ab.dot(ax), d2 = ac.dot(ax);
    if (d1 <= 0 && d2 <= 0) return {a, 0};
    const Vec3 bx = x - b;
    const double d3 = ab.dot(bx), d4 = ac.dot(bx);
    if (d3 >= 0 && d4 <= d3) return {b, 1};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + d1 / (d1 - d3) * ab, 3};
    const Vec3 cx = x - c;
    const double d5 = ab.dot(cx), d6 = ac.dot(cx);
    if (d6 >= 0 && d5 <= d6) return {c, 2};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + d2 / (d2 - d6) * ac, 5};
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6) return {b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), 4};
    const double scale = 1 / (va + vb + vc);
    return {a + vb * scale * ab + vc * scale * ac, 6};
}

double angle_between(const Vec3& u, const Vec3& v) { return std::atan2(u.cross(v).norm(), u.dot(v)); }

std::uint64_t edge_key(std::int32_t a, std::int32_t b)
{
    return (static_cast<std::uint64_t>(std::min(a, b)) << 32) | static_cast<std::uint64_t>(std::max(a, b));
}

} // namespace

struct MeshDistance::Best {
    double squared_distance = std::numeric_limits<double>::infinity();
    std::int32_t face = -1;
    int feature = 6;
    Vec3 point = Vec3::Zero();
};

MeshDistance::MeshDistance(TriangleMesh mesh) : mesh_(std::move(mesh))
{
    for (const Vec3& x : mesh_.vertices) bounds_.include(x);
    build_faces();
    RIVULET_VERIFY(!faces_.empty());
    build_tree();
    build_seeds();
}

void MeshDistance::build_faces()
{
    vertex_normals_.assign(mesh_.vertices.size(), Vec3::Zero());
    std::map<std::uint64_t, std::int32_t> edges;
    for (const auto& t : mesh_.triangles) {
        std::array<Vec3, 3> p;
        for (std::size_t i = 0; i < 3; ++i) p[i] = mesh_.vertices[static_cast<std::size_t>(t[i])];
        const Vec3 normal = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
        // A triangle without area lies on its neighbours' edges: they answer for it.
        if (!(normal.squaredNorm() > 0.5)) continue;
        Face face{p[0], p[1], p[2], t, {}};
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            vertex_normals_[static_cast<std::size_t>(t[i])] += angle_between(p[j] - p[i], p[k] - p[i]) * normal;
            const auto next = static_cast<std::int32_t>(edge_normals_.size());
            const auto [it, is_new] = edges.try_emplace(edge_key(t[i], t[j]), next);
            if (is_new) edge_normals_.emplace_back(Vec3::Zero());
            face.edge[i] = it->second;
            edge_normals_[static_cast<std::size_t>(it->second)] += normal;
        }
        faces_.push_back(face);
    }
}

void MeshDistance::build_tree()
{
    std::vector<std::int32_t> order(faces_.size());
    std::iota(order.begin(), order.end(), 0);
    nodes_.reserve(faces_.size());
    nodes_.emplace_back();
    split(0, order, 0, static_cast<std::int32_t>(order.size()));
    std::vector<Face> sorted;
    sorted.reserve(faces_.size());
    for (const std::int32_t i : order) sorted.push_back(faces_[static_cast<std::size_t>(i)]);
    faces_ = std::move(sorted);
}

void MeshDistance::split(std::int32_t node, std::vector<std::int32_t>& order, std::int32_t begin, std::int32_t end)
{
    const auto centroid = [&](std::int32_t i) {
        const Face& face = faces_[static_cast<std::size_t>(i)];
        return Vec3(face.a + face.b + face.c);
    };
    Aabb box, centroids;
    for (std::int32_t i = begin; i < end; ++i) {
        const Face& face = faces_[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
        for (const Vec3& x : {face.a, face.b, face.c}) box.include(x);
        centroids.include(centroid(order[static_cast<std::size_t>(i)]));
    }
    // Boxes in single precision, grown by more than their rounding, stay conservative.
    const double margin = 1e-6 * std::max(bounds_.lower.cwiseAbs().maxCoeff(), bounds_.upper.cwiseAbs().maxCoeff());
    Node& self = nodes_[static_cast<std::size_t>(node)];
    self.lower = (box.lower.array() - margin).cast<float>();
    self.upper = (box.upper.array() + margin).cast<float>();
    if (end - begin <= kLeafFaces) {
        self.first = begin;
        self.n_faces = end - begin;
        return;
    }
    int axis = 0;
    centroids.size().maxCoeff(&axis);
    const std::int32_t middle = (begin + end) / 2;
    std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                     [&](std::int32_t i, std::int32_t j) {
                         const double ci = centroid(i)[axis], cj = centroid(j)[axis];
                         return ci != cj ? ci < cj : i < j;
                     });
    const auto child = static_cast<std::int32_t>(nodes_.size());
    self.first = child;
    nodes_.emplace_back();
    nodes_.emplace_back();
    split(child, order, begin, middle);
    split(child + 1, order, middle, end);
}

void MeshDistance::build_seeds()
{
    const Vec3 size = bounds_.size();
    const double cell = size.maxCoeff() / kSeedCells;
    for (int axis = 0; axis < 3; ++axis)
        seed_counts_[axis] = std::clamp(static_cast<int>(std::ceil(size[axis] / cell)), 1, kSeedCells);
    const std::int64_t n = std::int64_t{1} * seed_counts_.x() * seed_counts_.y() * seed_counts_.z();
    std::vector<std::int32_t> seeds(static_cast<std::size_t>(n));
    parallel_for(
        n, "mesh distance seeds",
        [&](std::int64_t i) {
            const auto k = static_cast<int>(i);
            const Vec3i c(k % seed_counts_.x(), k / seed_counts_.x() % seed_counts_.y(),
                          k / seed_counts_.x() / seed_counts_.y());
            const Vec3 s = (c.cast<double>().array() + 0.5).matrix().cwiseQuotient(seed_counts_.cast<double>());
            seeds[static_cast<std::size_t>(i)] = search(bounds_.lower + s.cwiseProduct(size)).face;
        },
        64);
    seeds_ = std::move(seeds);
}

std::int32_t MeshDistance::seed(const Vec3& x) const
{
    const Vec3 size = bounds_.size();
    Vec3i c;
    for (int axis = 0; axis < 3; ++axis) {
        const double s = size[axis] > 0 ? (x[axis] - bounds_.lower[axis]) / size[axis] : 0;
        c[axis] = static_cast<int>(std::clamp(s, 0.0, 1.0) * seed_counts_[axis] * (1 - 1e-12));
    }
    return seeds_[static_cast<std::size_t>(c.x() + seed_counts_.x() * (c.y() + seed_counts_.y() * c.z()))];
}

void MeshDistance::try_face(const Face& face, std::int32_t index, const Vec3& x, Best& best)
{
    const TrianglePoint nearest = nearest_on_triangle(x, face.a, face.b, face.c);
    const double squared = (nearest.point - x).squaredNorm();
    // Ties go to the lower index, so that the first bound cannot change the answer.
    if (squared > best.squared_distance || (squared == best.squared_distance && index >= best.face)) return;
    best = {squared, index, nearest.feature, nearest.point};
}

MeshDistance::Best MeshDistance::search(const Vec3& x) const
{
    const Eigen::Array3f p = x.array().cast<float>();
    const auto box_distance = [&](std::int32_t n) {
        const Node& node = nodes_[static_cast<std::size_t>(n)];
        return (node.lower - p).max(p - node.upper).max(0.0f).matrix().squaredNorm();
    };
    struct Pending {
        std::int32_t node;
        float squared_distance;
    };
    std::array<Pending, 64> stack;
    std::size_t depth = 0;
    Best best;
    if (!seeds_.empty()) {
        const std::int32_t first = seed(x);
        try_face(faces_[static_cast<std::size_t>(first)], first, x, best);
    }
    stack[depth++] = {0, box_distance(0)};
    while (depth > 0) {
        const Pending next = stack[--depth];
        // Single-precision bounds: leave room for their rounding.
        if (double(next.squared_distance) * (1 - 1e-5) > best.squared_distance) continue;
        const Node& node = nodes_[static_cast<std::size_t>(next.node)];
        if (node.n_faces > 0) {
            for (std::int32_t i = node.first; i < node.first + node.n_faces; ++i)
                try_face(faces_[static_cast<std::size_t>(i)], i, x, best);
            continue;
        }
        const Pending a{node.first, box_distance(node.first)}, b{node.first + 1, box_distance(node.first + 1)};
        const bool is_a_nearer = a.squared_distance <= b.squared_distance;
        stack[depth++] = is_a_nearer ? b : a;
        stack[depth++] = is_a_nearer ? a : b;
    }
    return best;
}

NearestPoint MeshDistance::nearest(const Vec3& x) const
{
    const Best best = search(x);
    const Face& face = faces_[static_cast<std::size_t>(best.face)];
    const auto feature = static_cast<std::size_t>(best.feature);
    Vec3 normal = (face.b - face.a).cross(face.c - face.a);
    if (feature < 3)
        normal = vertex_normals_[static_cast<std::size_t>(face.vertex[feature])];
    else if (feature < 6)
        normal = edge_normals_[static_cast<std::size_t>(face.edge[feature - 3])];
    return {best.point, normal, best.squared_distance};
}

double MeshDistance::distance(const Vec3& x) const
{
    const NearestPoint near = nearest(x);
    const double d = std::sqrt(near.squared_distance);
    return (x - near.point).dot(near.normal) < 0 ? -d : d;
}

} // namespace rivulet
