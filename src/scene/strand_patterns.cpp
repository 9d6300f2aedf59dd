#include "scene/strand_patterns.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kFullTurn = 2 * std::numbers::pi;

/// The first n points of the triangular lattice of unit spacing, by their distance from the origin.
std::vector<Vec3> packed_points(std::int64_t n)
{
    // A hexagon of k rings has 1 + 3 k (k + 1) points; the circle in it still has n.
    std::int64_t rings = 1;
    while (3 * rings * rings < 4 * n) ++rings;
    std::vector<Vec3> points;
    for (std::int64_t i = -rings; i <= rings; ++i)
        for (std::int64_t j = -rings; j <= rings; ++j)
            points.emplace_back(static_cast<double>(i) + 0.5 * static_cast<double>(j),
                                0.5 * std::numbers::sqrt3 * static_cast<double>(j), 0);
    const auto key = [](const Vec3& p) {
        return std::lround(4 * p.squaredNorm());
    }; // whole numbers: no ties by rounding
    std::ranges::stable_sort(points, {}, key);
    points.resize(static_cast<std::size_t>(n));
    return points;
}

/// The yarn of number i, whose waves begin upwards or downwards by turns.
double sign_of(int i) { return i % 2 == 0 ? 1 : -1; }

/// A sine wave of so much height along x from 0 on, in edges of one length: `edges` of them, `edge` long.
std::vector<Vec3> wave(double amplitude, double wave_length, double phase, double edge, int edges)
{
    const double k = kFullTurn / wave_length;
    const auto height = [&](double x) { return amplitude * std::sin(k * x + phase); };
    std::vector<Vec3> points{{0, height(0), 0}};
    double x = 0;
    for (int i = 0; i < edges; ++i) { // the chord of length `edge`: between its own length and its least share of x
        double low = x, high = x + edge;
        for (int halving = 0; halving < 50; ++halving) {
            const double middle = 0.5 * (low + high);
            (std::hypot(middle - x, height(middle) - height(x)) < edge ? low : high) = middle;
        }
        x = high;
        points.emplace_back(x, height(x), 0);
    }
    return points;
}

/// Along y, of wavy neighbours that are `spacing` apart where they are steepest.
double row_distance(const Noodles& noodles)
{
    const double slope = std::numbers::pi * noodles.wave_height / noodles.wave_length;
    return noodles.spacing * std::sqrt(1 + slope * slope);
}

} // namespace

std::pair<Vec3, Vec3> directions_across(const Vec3& n)
{
    const Vec3 u = n.cross(std::abs(n.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX()).normalized();
    return {u, n.cross(u)};
}

Vec3 row_direction(const Bundle& bundle)
{
    const Vec3 along = (bundle.end - bundle.start).normalized();
    return bundle.row - along.dot(bundle.row) * along;
}

/// Places of the strands, in spacings from the axis.
static std::vector<Vec3> bundle_offsets(const Bundle& bundle, const Vec3& u, const Vec3& v)
{
    std::vector<Vec3> offsets;
    if (bundle.row.norm() > 0) {
        const Vec3 across = row_direction(bundle).normalized();
        for (std::int64_t i = 0; i < bundle.count; ++i)
            offsets.emplace_back((static_cast<double>(i) - 0.5 * static_cast<double>(bundle.count - 1)) * across);
    } else {
        for (const Vec3& place : packed_points(bundle.count)) offsets.emplace_back(place.x() * u + place.y() * v);
    }
    return offsets;
}

Curves bundle_curves(const Bundle& bundle)
{
    const Vec3 along = bundle.end - bundle.start;
    const double length = along.norm();
    const auto [u, v] = directions_across(along / length);
    Curves curves;
    std::vector<Vec3> points(static_cast<std::size_t>(bundle.n_vertices));
    for (const Vec3& offset : bundle_offsets(bundle, u, v)) {
        const Vec3 origin = bundle.start + bundle.spacing * offset;
        for (std::size_t k = 0; k < points.size(); ++k) {
            const double part = static_cast<double>(k) / (bundle.n_vertices - 1);
            const double angle = kFullTurn * part * length / bundle.curl_pitch;
            points[k] = origin + part * along + bundle.curl_radius * (std::cos(angle) * u + std::sin(angle) * v);
        }
        curves.add(points);
    }
    return curves;
}

Curves woven_curves(const Weave& weave)
{
    Curves curves;
    std::vector<Vec3> points;
    const auto add = [&](int yarns, int crossings, int yarn, bool is_row) {
        const double across = (yarn - 0.5 * (yarns - 1)) * weave.spacing;
        points.clear();
        const int n =
            crossings * weave.edges_per_crossing; // from half a spacing before the first to half after the last
        for (int k = 0; k <= n; ++k) {
            const double at = static_cast<double>(k) / weave.edges_per_crossing - 0.5; // crossings are at whole numbers
            const double along = (at - 0.5 * (crossings - 1)) * weave.spacing;
            const double up = (is_row ? 1 : -1) * sign_of(yarn) * weave.amplitude * std::cos(std::numbers::pi * at);
            points.push_back(is_row ? Vec3(along, across, up) : Vec3(across, along, up));
        }
        curves.add(points);
    };
    for (int i = 0; i < weave.rows; ++i) add(weave.rows, weave.columns, i, true);
    for (int j = 0; j < weave.columns; ++j) add(weave.columns, weave.rows, j, false);
    return curves;
}

Curves knitted_curves(const Knit& knit)
{
    const double w = knit.spacing / kFullTurn;
    Curves curves;
    std::vector<Vec3> points;
    for (int i = 0; i < knit.rows; ++i) {
        points.clear();
        const int n = knit.columns * knit.edges_per_loop;
        for (int k = 0; k <= n; ++k) { // from trough to trough; a loop's head is where t is a multiple of a turn
            const double t = kFullTurn * (static_cast<double>(k) / knit.edges_per_loop - 0.5 * knit.columns);
            const double phase = t + (knit.columns % 2 == 0 ? std::numbers::pi : 0); // troughs at both ends
            points.emplace_back(w * (t + 1.5 * std::sin(2 * t)),
                                w * (4 * std::cos(phase) + 4.8 * (i - 0.5 * (knit.rows - 1))), w * std::cos(2 * t));
        }
        curves.add(points);
    }
    return curves;
}

Curves noodle_curves(const Noodles& noodles)
{
    const double edge = noodles.length / (noodles.n_vertices - 1);
    Curves curves;
    for (std::int64_t i = 0; i < noodles.count; ++i) {
        const std::int64_t layer = i / noodles.per_layer, place = i % noodles.per_layer;
        const auto random = [&](std::uint64_t number) {
            return random_unit(noodles.seed, static_cast<std::uint64_t>(layer), number);
        };
        // Waves of one layer are alike, so neighbours keep their distance along y.
        std::vector<Vec3> points =
            wave(0.5 * noodles.wave_height, noodles.wave_length, kFullTurn * random(0), edge, noodles.n_vertices - 1);
        const double turn = kFullTurn * random(1), middle = 0.5 * points.back().x();
        const double aside = (static_cast<double>(place) - 0.5 * static_cast<double>(noodles.per_layer - 1));
        for (Vec3& x : points) {
            const Vec3 flat(x.x() - middle, x.y() + aside * row_distance(noodles), 0);
            x = Vec3(std::cos(turn) * flat.x() - std::sin(turn) * flat.y(),
                     std::sin(turn) * flat.x() + std::cos(turn) * flat.y(),
                     static_cast<double>(layer) * noodles.spacing);
        }
        curves.add(points);
    }
    return curves;
}

} // namespace rivulet
