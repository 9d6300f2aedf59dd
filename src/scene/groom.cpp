#include "scene/groom.h"

#include "base/assert.h"
#include "base/rng.h"
#include "scene/strand_patterns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kPi = std::numbers::pi;
/// Pieces of the surface along the longest side of its box: roots are then moved onto the surface itself.
constexpr double kPieces = 96;
/// Random numbers that one root may take until it lies inside of the region.
constexpr std::uint64_t kTries = 64;
constexpr std::uint64_t kNumbersPerTry = 4;
constexpr std::uint64_t kLengthNumber = kTries * kNumbersPerTry, kPhaseNumber = kLengthNumber + 1;

Vec3 centre_of(const TriangleMesh& mesh, std::size_t t)
{
    Vec3 sum = Vec3::Zero();
    for (const auto v : mesh.triangles[t]) sum += mesh.vertices[static_cast<std::size_t>(v)];
    return sum / 3;
}

double area_of(const TriangleMesh& mesh, std::size_t t)
{
    const auto corner = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][i])]; };
    return 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
}

/// Way along the axis of the helix for a way along the strand.
double axial_part(const Groom& groom)
{
    const double turn = 2 * kPi * groom.curl_radius / groom.curl_pitch;
    return 1 / std::sqrt(1 + turn * turn);
}

} // namespace

RootSampler::RootSampler(const Shape& shape, const Shape* region, std::uint64_t seed)
    : shape_(shape), region_(region), seed_(seed), mesh_(shape.tessellate(shape.bounds().size().maxCoeff() / kPieces))
{
    double sum = 0;
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
        if (region && !(region->distance(centre_of(mesh_, t)) < 0)) continue;
        sum += area_of(mesh_, t);
        area_.push_back(sum);
        triangle_.push_back(t);
    }
}

RootPlace RootSampler::root(std::int64_t number) const
{
    RIVULET_VERIFY(!is_empty());
    const auto stream = static_cast<std::uint64_t>(number);
    RootPlace place;
    for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
        const auto random = [&](std::uint64_t i) { return random_unit(seed_, stream, kNumbersPerTry * attempt + i); };
        const auto found = std::upper_bound(area_.begin(), area_.end(), random(0) * area_.back());
        const auto t = triangle_[static_cast<std::size_t>(std::min(found, area_.end() - 1) - area_.begin())];
        const double a = std::sqrt(random(1)), b = random(2); // even over the triangle
        const auto corner = [&](std::size_t i) {
            return mesh_.vertices[static_cast<std::size_t>(mesh_.triangles[t][i])];
        };
        Vec3 x = (1 - a) * corner(0) + a * (1 - b) * corner(1) + a * b * corner(2);
        for (int i = 0; i < 3; ++i) x -= shape_.distance(x) * shape_.normal(x);
        place = {x, shape_.normal(x)};
        if (!region_ || region_->distance(x) < 0) break;
    }
    return place;
}

double groom_edge(const Groom& groom) { return groom.length / (groom.n_vertices - 1.5); }

std::optional<double> edges_in_a_turn(const Groom& groom)
{
    if (!(groom.curl_radius > 0)) return std::nullopt;
    return groom.curl_pitch / axial_part(groom) / groom_edge(groom);
}

std::vector<Vec3> grow_strand(const Groom& groom, const RootPlace& root, std::int64_t number)
{
    const auto stream = static_cast<std::uint64_t>(number);
    const double shorter = 1 - groom.length_variation * random_unit(groom.seed, stream, kLengthNumber);
    const double phase = 2 * kPi * random_unit(groom.seed, stream, kPhaseNumber);
    const double edge = shorter * groom_edge(groom), axial = axial_part(groom);
    const auto [u, v] = directions_across(root.normal);
    std::vector<Vec3> points;
    for (int k = 0; k < groom.n_vertices; ++k) {
        const double grown = std::max(k - 1, 0) * edge; // beyond the first edge
        const double along = (std::min(k, 1) - 0.5) * edge + axial * grown;
        const double opening = std::min(1.0, axial * grown / groom.curl_pitch); // the helix opens in its first turn
        const double radius = groom.curl_radius * opening * opening * (3 - 2 * opening);
        const double angle = phase + 2 * kPi * along / groom.curl_pitch;
        points.emplace_back(root.position + along * root.normal + radius * (std::cos(angle) * u + std::sin(angle) * v));
    }
    // While the helix opens its edges are shorter: all get the same length, so that the strand has its own.
    std::vector<Vec3> even{points.front()};
    for (std::size_t k = 1; k < points.size(); ++k)
        even.emplace_back(even.back() + edge * (points[k] - points[k - 1]).normalized());
    return even;
}

} // namespace rivulet
