#include "scene/groom.h"

#include "base/assert.h"
#include "base/rng.h"
#include "scene/strand_patterns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

namespace rivulet {
namespace {

/// Pieces of the surface along the longest side of its box: roots are then moved onto the surface itself.
constexpr double kPieces = 96;
/// Random numbers that one root may take until it lies inside of the region.
constexpr std::uint64_t kTries = 64;
constexpr std::uint64_t kNumbersPerTry = 4;
constexpr std::uint64_t kLengthNumber = kTries * kNumbersPerTry, kPhaseNumber = kLengthNumber + 1,
                        kStrayNumber = kPhaseNumber + 1;
/// How far a strand strays with a randomness of one, as a part of its length.
constexpr double kStray = 0.15;

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
    const double turn = 2 * std::numbers::pi * groom.curl_radius / groom.curl_pitch;
    return 1 / std::sqrt(1 + turn * turn);
}

/// The line that a strand winds about: it leaves the surface across it, bends towards a direction and strays at random.
class StrandAxis {
public:
    struct Place {
        Vec3 position;
        Vec3 u, v; ///< across
    };

    StrandAxis(const Groom& groom, const RootPlace& root, std::uint64_t stream, double length)
        : root_(root), length_(length), curvature_(0)
    {
        std::tie(u_, v_) = directions_across(root.normal);
        const Vec3 aside = groom.bend_direction - groom.bend_direction.dot(root.normal) * root.normal;
        if (groom.bend > 0 && aside.norm() > 1e-6 * groom.bend_direction.norm()) {
            u_ = aside.normalized();
            v_ = root.normal.cross(u_);
            curvature_ = groom.bend / length;
        }
        for (std::size_t i = 0; i < stray_.size(); ++i)
            stray_[i] =
                groom.randomness * kStray * length * (2 * random_unit(groom.seed, stream, kStrayNumber + i) - 1);
    }

    /// `along` the axis from the root, of which `beyond` lies beyond the first, straight edge.
    [[nodiscard]] Place at(double along, double beyond) const
    {
        const double angle = curvature_ * beyond;
        const Vec3 u = std::cos(angle) * u_ - std::sin(angle) * root_.normal;
        // Chord of the arc: exact, and without a division by a small curvature.
        const double half = 0.5 * angle, chord = half > 1e-9 ? beyond * std::sin(half) / half : beyond;
        Vec3 x =
            root_.position + (along - beyond + chord * std::cos(half)) * root_.normal + chord * std::sin(half) * u_;
        for (std::size_t i = 0; i < stray_.size(); i += 2) { // level and straight at the root
            const double wave =
                0.5 * (1 - std::cos(std::numbers::pi * static_cast<double>(i / 2 + 1) * beyond / length_));
            const double share = wave / static_cast<double>((i / 2 + 1) * (i / 2 + 1));
            x += share * (stray_[i] * u + stray_[i + 1] * v_);
        }
        return {x, u, v_};
    }

private:
    RootPlace root_;
    double length_, curvature_;
    Vec3 u_, v_;
    std::array<double, 6> stray_{}; ///< along u and v, of three waves [m]
};

/// A strand whose edges have the directions of these and one length: winding and bending has made them uneven.
std::vector<Vec3> with_even_edges(std::span<const Vec3> points, double edge)
{
    std::vector<Vec3> even{points.front()};
    for (std::size_t k = 1; k < points.size(); ++k)
        even.emplace_back(even.back() + edge * (points[k] - points[k - 1]).normalized());
    return even;
}

std::size_t nearest_guide(const std::vector<RootPlace>& places, std::size_t n_guides, std::size_t i)
{
    std::size_t nearest = 0;
    for (std::size_t g = 1; g < n_guides; ++g)
        if ((places[g].position - places[i].position).squaredNorm() <
            (places[nearest].position - places[i].position).squaredNorm())
            nearest = g;
    return nearest;
}

/// Rewrites strand i with each vertex moved by move(vertex, part of the way from root to tip), its edges' length kept.
/// The first edge stays as it is.
template <class Move>
void reshape(Curves& curves, std::size_t i, Move&& move)
{
    const std::span<Vec3> strand = std::span(curves.points).subspan(curves.first[i], curves[i].size());
    std::vector<Vec3> moved(strand.begin(), strand.end());
    for (std::size_t k = 2; k < moved.size(); ++k) {
        const double part = static_cast<double>(k - 1) / static_cast<double>(moved.size() - 2);
        moved[k] = move(k, part * part * (3 - 2 * part));
    }
    std::ranges::copy(with_even_edges(moved, (strand[1] - strand[0]).norm()), strand.begin());
}

void draw_to(Curves& curves, std::size_t i, std::size_t guide_number, double clump)
{
    const std::span<const Vec3> own = curves[i], guide = curves[guide_number];
    reshape(curves, i, [&](std::size_t k, double part) { return Vec3(own[k] + clump * part * (guide[k] - own[k])); });
}

/// Draws strands to the line through the mean of the roots along the mean of their normals.
void taper(Curves& curves, const std::vector<RootPlace>& places, double narrower)
{
    Vec3 centre = Vec3::Zero(), normal = Vec3::Zero();
    for (const RootPlace& place : places) {
        centre += place.position / static_cast<double>(places.size());
        normal += place.normal;
    }
    if (!(normal.norm() > 1e-6 * static_cast<double>(places.size()))) return; // a whole ball has no line
    normal.normalize();
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const std::span<const Vec3> own = curves[i];
        reshape(curves, i, [&](std::size_t k, double part) {
            const Vec3 away = own[k] - centre;
            return Vec3(own[k] - narrower * part * (away - away.dot(normal) * normal));
        });
    }
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
    const double phase = 2 * std::numbers::pi * random_unit(groom.seed, stream, kPhaseNumber);
    const double edge = shorter * groom_edge(groom), axial = axial_part(groom);
    const double whole = axial * shorter * groom.length;
    const StrandAxis axis(groom, root, stream, whole);
    std::vector<Vec3> points;
    for (int k = 0; k < groom.n_vertices; ++k) {
        const double grown = std::max(k - 1, 0) * edge; // beyond the first edge
        const double along = (std::min(k, 1) - 0.5) * edge + axial * grown;
        const double opening = std::min(1.0, axial * grown / groom.curl_pitch); // the helix opens in its first turn
        const double radius = groom.curl_radius * opening * opening * (3 - 2 * opening);
        const double angle = phase + 2 * std::numbers::pi * along / groom.curl_pitch;
        const StrandAxis::Place place = axis.at(along, axial * grown);
        points.emplace_back(place.position + radius * (std::cos(angle) * place.u + std::sin(angle) * place.v));
    }
    return with_even_edges(points, edge);
}

Curves grow_strands(const Groom& groom, const RootSampler& roots, std::int64_t count)
{
    std::vector<RootPlace> places;
    Curves curves;
    for (std::int64_t i = 0; i < count; ++i) {
        places.push_back(roots.root(i));
        curves.add(grow_strand(groom, places.back(), i));
    }
    // The first strands are not drawn anywhere themselves.
    const auto n_guides = std::min<std::size_t>(static_cast<std::size_t>(groom.n_clumps), places.size());
    if (groom.clump > 0 && n_guides > 0)
        for (std::size_t i = n_guides; i < places.size(); ++i)
            draw_to(curves, i, nearest_guide(places, n_guides, i), groom.clump);
    if (groom.taper > 0) taper(curves, places, groom.taper);
    return curves;
}

} // namespace rivulet
