#include "geometry/film_surface.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "geometry/mesh_parts.h"
#include "geometry/tessellation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr int kCapRows = 8; // of a quarter of a circle
constexpr int kMostPieces = 8;

/// A cross-section of a body of liquid.
struct Ring {
    Vec3 centre;
    double radius; ///< 0 = a point that closes the surface
};

/// One strand, with its liquid at vertices.
class WetStrand {
public:
    WetStrand(const FilmCurves& curves, std::size_t strand, const FilmSurfacing& options)
        : options_(options), begin_(static_cast<std::size_t>(curves.first[strand])),
          n_(static_cast<std::size_t>(curves.first[strand + 1]) - begin_), x_(curves.positions.subspan(begin_, n_)),
          inner_(curves.inner.subspan(begin_, n_)), outer_(curves.outer.subspan(begin_, n_))
    {
        RIVULET_ASSERT(n_ >= 2);
        drop_ = drop_radius(curves.pools[strand]);
        if (!is_body(drop_, n_ - 1)) drop_ = 0;
    }

    /// Which vertices are in bodies of liquid.
    [[nodiscard]] std::vector<std::uint8_t> inside() const
    {
        std::vector<std::uint8_t> flags(n_, 0);
        double from_tip = 0;
        for (std::size_t v = n_; v-- > 0;) {
            if (v + 1 < n_) from_tip += (x_[v + 1] - x_[v]).norm();
            flags[v] = is_body(outer_[v], v) || from_tip < drop_;
        }
        return flags;
    }

    void surface(TriangleMesh& mesh) const
    {
        const std::vector<std::uint8_t> flags = inside();
        for (std::size_t v = 0; v < n_; ++v) {
            if (!flags[v]) continue;
            std::size_t last = v; // of the body; a single vertex between two bodies does not part them
            while (last + 1 < n_ && (flags[last + 1] || (last + 2 < n_ && flags[last + 2]))) ++last;
            append_tube(rings(v > 0 ? v - 1 : 0, std::min(last + 1, n_ - 1), flags), mesh);
            v = last;
        }
    }

private:
    [[nodiscard]] bool is_body(double radius, std::size_t v) const
    {
        return radius > 0 && radius >= options_.thick * inner_[v] && radius >= options_.smallest;
    }

    /// Radius of the liquid at this distance from the tip along the strand, linear between vertices.
    [[nodiscard]] double outer_at(double from_tip) const
    {
        for (std::size_t v = n_ - 1; v > 0; --v) {
            const double edge = (x_[v] - x_[v - 1]).norm();
            if (from_tip <= edge) return std::lerp(outer_[v], outer_[v - 1], edge > 0 ? from_tip / edge : 0);
            from_tip -= edge;
        }
        return outer_[0];
    }

    /// What a ball about the tip adds to the film [m^3].
    [[nodiscard]] double added_volume(double radius) const
    {
        constexpr int kSlices = 24;
        double sum = 0;
        for (int i = 0; i < kSlices; ++i) {
            const double d = radius * (i + 0.5) / kSlices, film = outer_at(d);
            sum += std::max(0.0, radius * radius - d * d - film * film) * radius / kSlices;
        }
        return std::numbers::pi * sum + 2 * std::numbers::pi / 3 * radius * radius * radius;
    }

    [[nodiscard]] double drop_radius(double pool) const
    {
        if (!(pool > 0)) return 0;
        double low = std::cbrt(0.75 * pool / std::numbers::pi),
               high = std::cbrt(1.5 * pool / std::numbers::pi); // a ball, half a ball
        for (int i = 0; i < 30; ++i) {
            const double middle = 0.5 * (low + high);
            (added_volume(middle) < pool ? low : high) = middle;
        }
        return 0.5 * (low + high);
    }

    /// Pieces of an edge that keep the surface smooth and the strand inside.
    [[nodiscard]] int pieces(std::size_t v) const
    {
        const double length = (x_[v + 1] - x_[v]).norm(), radius = std::max(outer_[v], outer_[v + 1]);
        const double film = std::max(radius - inner_[v], 0.05 * radius);
        double bend = 0, bulge = 0;
        for (const std::size_t i : {v, v + 1}) {
            if (i == 0 || i + 1 == n_) continue;
            const Vec3 a = x_[i] - x_[i - 1], b = x_[i + 1] - x_[i];
            bend = std::max(bend, std::atan2(a.cross(b).norm(), a.dot(b)));
            bulge = std::max(bulge, std::abs(outer_[i - 1] - 2 * outer_[i] + outer_[i + 1]));
        }
        const double n = std::sqrt(std::max(length * bend / (8 * 0.15 * film), bulge / (8 * 0.01 * radius)));
        return std::clamp(static_cast<int>(std::ceil(n)), 1, kMostPieces);
    }

    /// Vertices, continued straight on beyond the ends.
    [[nodiscard]] Vec3 vertex(std::ptrdiff_t v) const
    {
        const auto n = static_cast<std::ptrdiff_t>(n_);
        if (v < 0) return 2 * x_[0] - x_[1];
        if (v >= n) return 2 * x_[n_ - 1] - x_[n_ - 2];
        return x_[static_cast<std::size_t>(v)];
    }

    /// Slope of the radius at a vertex, a vertex: no larger than lets it stay between its neighbours.
    [[nodiscard]] double slope(std::size_t v) const
    {
        if (v == 0 || v + 1 == n_) return 0;
        const double before = outer_[v] - outer_[v - 1], after = outer_[v + 1] - outer_[v];
        return before * after > 0 ? 2 * before * after / (before + after) : 0;
    }

    [[nodiscard]] Ring ring_in_edge(std::size_t v, double t) const
    {
        const auto i = static_cast<std::ptrdiff_t>(v);
        const Vec3 a = vertex(i - 1), b = vertex(i), c = vertex(i + 1), d = vertex(i + 2);
        const Vec3 centre = 0.5 * (2 * b + t * (c - a) + t * t * (2 * a - 5 * b + 4 * c - d) +
                                   t * t * t * (3 * (b - c) + d - a)); // the curve that pictures draw
        const double s = 1 - t;
        const double radius = s * s * (1 + 2 * t) * outer_[v] + s * s * t * slope(v) +
                              t * t * (3 - 2 * t) * outer_[v + 1] - t * t * s * slope(v + 1);
        return {centre, radius};
    }

    [[nodiscard]] std::vector<Ring> rings(std::size_t from, std::size_t to,
                                          const std::vector<std::uint8_t>& flags) const
    {
        std::vector<Ring> list;
        const Vec3 backward = (x_[0] - x_[1]).normalized(), forward = (x_[n_ - 1] - x_[n_ - 2]).normalized();
        if (flags[from]) { // the root itself is in the liquid: round
            list.push_back({x_[from] + outer_[from] * backward, 0});
            for (int k = 1; k < kCapRows; ++k) {
                const double angle = 0.5 * std::numbers::pi * k / kCapRows;
                list.push_back({x_[from] + outer_[from] * std::cos(angle) * backward, outer_[from] * std::sin(angle)});
            }
        } else {
            list.push_back({x_[from], 0}); // inside of the strand
        }
        for (std::size_t v = from; v < to; ++v)
            for (int k = 0, n = pieces(v); k < n; ++k) list.push_back(ring_in_edge(v, static_cast<double>(k) / n));
        list.push_back({x_[to], outer_[to]});
        if (!flags[to]) {
            list.push_back({x_[to], 0});
            return list;
        }
        if (drop_ > outer_[to]) swell(list);
        const double radius = std::max(drop_, outer_[to]);
        for (int k = 1; k < kCapRows; ++k) {
            const double angle = 0.5 * std::numbers::pi * k / kCapRows;
            list.push_back({x_[to] + radius * std::sin(angle) * forward, radius * std::cos(angle)});
        }
        list.push_back({x_[to] + radius * forward, 0});
        return list;
    }

    /// The film's rings, which end at the tip, joined with the ball about it.
    void swell(std::vector<Ring>& list) const
    {
        std::vector<Ring> reversed;
        double from_tip = 0;
        int next = 0; // of the ball's own rings, from the tip
        const auto ball = [&](double d) { return std::sqrt(std::max(0.0, drop_ * drop_ - d * d)); };
        for (std::size_t i = list.size(); i-- > 1;) {
            const Ring &a = list[i], &b = list[i - 1];
            const double step = (a.centre - b.centre).norm();
            reversed.push_back({a.centre, a.radius > 0 ? std::max(a.radius, ball(from_tip)) : 0});
            while (step > 0 && next < kCapRows) {
                const double d = drop_ * std::sin(0.5 * std::numbers::pi * (next + 1) / kCapRows) * (1 - 1e-9);
                if (d >= from_tip + step) break;
                const double t = (d - from_tip) / step;
                reversed.push_back(
                    {a.centre + t * (b.centre - a.centre), std::max(std::lerp(a.radius, b.radius, t), ball(d))});
                ++next;
            }
            from_tip += step;
        }
        reversed.push_back(list.front());
        list.assign(reversed.rbegin(), reversed.rend());
    }

    void append_tube(const std::vector<Ring>& list, TriangleMesh& mesh) const
    {
        const int n = options_.n_around;
        const double equal_area = std::sqrt(2 * std::numbers::pi / (n * std::sin(2 * std::numbers::pi / n)));
        AxisFrame frame;
        std::int32_t below = -1;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const Vec3 along = list[std::min(i + 1, list.size() - 1)].centre - list[i > 0 ? i - 1 : 0].centre;
            if (along.norm() > 0) turn(frame, along.normalized(), i == 0);
            const auto row = static_cast<std::int32_t>(mesh.vertices.size());
            const bool is_pole = list[i].radius == 0;
            for (int j = 0; j < (is_pole ? 1 : n); ++j) {
                const double angle = 2 * std::numbers::pi * j / n, radius = equal_area * list[i].radius;
                mesh.vertices.emplace_back(list[i].centre +
                                           radius * (std::cos(angle) * frame.u + std::sin(angle) * frame.v));
            }
            if (below >= 0) append_between(mesh, below, row, n, i == 1, is_pole);
            below = row;
        }
    }

    /// The frame carried on to a new axis without turning about it.
    static void turn(AxisFrame& frame, const Vec3& axis, bool is_first)
    {
        if (is_first) frame = make_axis_frame(Vec3::Zero(), axis);
        const Vec3 u = frame.u - frame.u.dot(axis) * axis;
        if (u.norm() < 1e-6) {
            frame = make_axis_frame(Vec3::Zero(), axis); // a kink of a right angle
            return;
        }
        frame.u = u.normalized();
        frame.v = axis.cross(frame.u);
        frame.w = axis;
    }

    static void append_between(TriangleMesh& mesh, std::int32_t below, std::int32_t above, int n, bool from_pole,
                               bool to_pole)
    {
        for (int j = 0; j < n; ++j) {
            const int k = (j + 1) % n;
            if (!from_pole) mesh.triangles.push_back({below + j, below + k, to_pole ? above : above + k});
            if (!to_pole) mesh.triangles.push_back({from_pole ? below : below + j, above + k, above + j});
        }
    }

    const FilmSurfacing& options_;
    std::size_t begin_, n_;
    std::span<const Vec3> x_;
    std::span<const double> inner_, outer_;
    double drop_ = 0; ///< radius of what hangs from the tip [m]; 0 = nothing, or a part of the coat
};

void check_curves(const FilmCurves& curves, const FilmSurfacing& options)
{
    const std::size_t n = curves.positions.size();
    RIVULET_VERIFY(!curves.first.empty() && curves.inner.size() == n && curves.outer.size() == n);
    RIVULET_VERIFY(curves.pools.size() + 1 == curves.first.size() && options.n_around >= 3 && options.thick > 1);
}

} // namespace

std::vector<std::uint8_t> vertices_in_drops(const FilmCurves& curves, const FilmSurfacing& options)
{
    check_curves(curves, options);
    std::vector<std::uint8_t> flags(curves.positions.size());
    parallel_for(static_cast<std::int64_t>(curves.pools.size()), "vertices in drops", [&](std::int64_t s) {
        const auto strand = static_cast<std::size_t>(s);
        std::ranges::copy(WetStrand(curves, strand, options).inside(),
                          flags.begin() + static_cast<std::ptrdiff_t>(curves.first[strand]));
    });
    return flags;
}

TriangleMesh surface_films(const FilmCurves& curves, const FilmSurfacing& options)
{
    check_curves(curves, options);
    std::vector<TriangleMesh> parts(curves.pools.size());
    parallel_for(static_cast<std::int64_t>(parts.size()), "surface of films", [&](std::int64_t s) {
        const auto strand = static_cast<std::size_t>(s);
        WetStrand(curves, strand, options).surface(parts[strand]);
    });
    TriangleMesh mesh;
    for (const TriangleMesh& part : parts) append_mesh(mesh, part);
    return mesh;
}

} // namespace rivulet
