#include "geometry/marching_cubes.h"

#include "base/assert.h"

namespace rivulet {
namespace {

std::array<CubeEdge, 12> make_edges()
{
    std::array<CubeEdge, 12> edges{};
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 4; ++i) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            const int lower = ((i & 1) << u) | ((i >> 1) << v);
            edges[static_cast<std::size_t>(4 * axis + i)] = {lower, lower | (1 << axis), axis};
        }
    return edges;
}

int edge_between(int a, int b)
{
    const auto& edges = cube_edges();
    for (int e = 0; e < 12; ++e) {
        const CubeEdge& edge = edges[static_cast<std::size_t>(e)];
        if ((edge.lower == a && edge.upper == b) || (edge.lower == b && edge.upper == a)) return e;
    }
    invariant_failed("the corners are neighbours", __FILE__, __LINE__);
    return -1;
}

/// Corners of a face, counter-clockwise seen from outside of the cube.
std::array<int, 4> face_corners(int axis, bool is_upper)
{
    const int u = 1 << ((axis + 1) % 3), v = 1 << ((axis + 2) % 3), base = is_upper ? 1 << axis : 0;
    if (is_upper) return {base, base | u, base | u | v, base | v};
    return {base, base | v, base | u | v, base | u};
}

/// Bit 2 axis + (upper) for each of the two faces that hold the edge.
int faces_of_edge(int e)
{
    const CubeEdge& edge = cube_edges()[static_cast<std::size_t>(e)];
    int faces = 0;
    for (int axis = 0; axis < 3; ++axis)
        if (axis != edge.axis) faces |= 1 << (2 * axis + ((edge.lower >> axis) & 1));
    return faces;
}

/// successor[e]: the crossed edge that follows crossed edge e on the boundary of the surface piece; -1 = not crossed.
/// On each face the boundary goes from where a counter-clockwise walk enters a run of inside corners to where it
/// leaves.
std::array<int, 12> trace_faces(int inside)
{
    std::array<int, 12> successor;
    successor.fill(-1);
    for (int axis = 0; axis < 3; ++axis)
        for (const bool is_upper : {false, true}) {
            const std::array<int, 4> c = face_corners(axis, is_upper);
            const auto is_inside = [&](int i) { return (inside >> c[static_cast<std::size_t>(i & 3)]) & 1; };
            const auto edge = [&](int i) {
                return edge_between(c[static_cast<std::size_t>(i & 3)], c[static_cast<std::size_t>((i + 1) & 3)]);
            };
            for (int i = 0; i < 4; ++i) {
                if (is_inside(i) || !is_inside(i + 1)) continue;
                int last = i + 1;
                while (is_inside(last + 1)) ++last;
                successor[static_cast<std::size_t>(edge(i))] = edge(last);
            }
        }
    return successor;
}

/// Cuts ears off `loop` so that no new chord lies within a face of the cube; false if there is no such way.
bool triangulate(std::vector<int> loop, CubeCase& triangles)
{
    const std::size_t n = loop.size();
    const auto corner = [&](std::size_t i) { return static_cast<std::int8_t>(loop[i % n]); };
    if (n == 3) {
        triangles.push_back({corner(0), corner(1), corner(2)});
        return true;
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (faces_of_edge(corner(i)) & faces_of_edge(corner(i + 2))) continue;
        const std::size_t n_before = triangles.size();
        triangles.push_back({corner(i), corner(i + 1), corner(i + 2)});
        std::vector<int> rest = loop;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>((i + 1) % n));
        if (triangulate(rest, triangles)) return true;
        triangles.resize(n_before);
    }
    return false;
}

CubeCase make_case(int inside)
{
    CubeCase triangles;
    std::array<int, 12> successor = trace_faces(inside);
    for (int start = 0; start < 12; ++start) {
        std::vector<int> loop;
        for (int e = start; successor[static_cast<std::size_t>(e)] >= 0;) {
            loop.push_back(e);
            const int next = successor[static_cast<std::size_t>(e)];
            successor[static_cast<std::size_t>(e)] = -1;
            e = next;
        }
        if (!loop.empty()) RIVULET_VERIFY(triangulate(loop, triangles));
    }
    return triangles;
}

std::array<CubeCase, 256> make_cases()
{
    std::array<CubeCase, 256> cases;
    for (int inside = 0; inside < 256; ++inside) cases[static_cast<std::size_t>(inside)] = make_case(inside);
    return cases;
}

} // namespace

const std::array<CubeEdge, 12>& cube_edges()
{
    static const std::array<CubeEdge, 12> edges = make_edges();
    return edges;
}

const std::array<CubeCase, 256>& cube_cases()
{
    static const std::array<CubeCase, 256> cases = make_cases();
    return cases;
}

} // namespace rivulet
