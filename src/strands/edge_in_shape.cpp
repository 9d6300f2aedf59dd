#include "strands/edge_in_shape.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr int kSections = 12;
/// Of an edge: half of what is left of it after that many golden sections, and a little more.
constexpr double kSectioned = 0.002;
/// Depth, as a part of the radius, by which a place between the ends has to exceed these.
constexpr double kDeeper = 0.02;
/// Distance of two places with different normals, as a part of the coordinates: several steps of Shape::normal().
constexpr double kBeside = 4e-5;
/// Length of a mean of two normals below which an edge goes right through a shape and no side is nearer.
constexpr double kPierced = 0.2;
constexpr int kMostAdvances = 100;

Segment between(const Segment& start, const Segment& end, double time)
{
    return {start.a + time * (end.a - start.a), start.b + time * (end.b - start.b)};
}

struct Deepest {
    double s = 0, distance = 0;
};

/// Golden sections, and the ends.
Deepest find_deepest(const Shape& shape, const Segment& edge, double radius)
{
    const auto depth = [&](double s) { return shape.distance(edge.at(s)); };
    constexpr double kGolden = 0.6180339887498949;
    double low = 0, high = 1;
    double s0 = 1 - kGolden, s1 = kGolden, d0 = depth(s0), d1 = depth(s1);
    for (int i = 0; i < kSections; ++i) {
        if (d0 <= d1) {
            high = s1;
            s1 = s0;
            d1 = d0;
            s0 = high - kGolden * (high - low);
            d0 = depth(s0);
        } else {
            low = s0;
            s0 = s1;
            d0 = d1;
            s1 = low + kGolden * (high - low);
            d1 = depth(s1);
        }
    }
    const double first = depth(0), last = depth(1), ends = std::min(first, last);
    if (std::min(d0, d1) < ends - kDeeper * radius) return d0 <= d1 ? Deepest{s0, d0} : Deepest{s1, d1};
    return first <= last ? Deepest{0, first} : Deepest{1, last};
}

} // namespace

double deepest_between_ends(const Shape& shape, const Segment& edge, double radius)
{
    const double s = find_deepest(shape, edge, radius).s;
    return s < 1 ? s : 0;
}

EdgePlace place_across(const Shape& shape, const Segment& edge, double s)
{
    const double length = (edge.b - edge.a).norm();
    const Vec3 tangent = (edge.b - edge.a) / length;
    const double beside = std::max(kSectioned, kBeside * edge.at(s).cwiseAbs().maxCoeff() / length);
    const Vec3 before = shape.normal(edge.at(s - beside)), after = shape.normal(edge.at(s + beside));
    // Slopes of the distance along the edge: it falls before the deepest place and rises behind it.
    const double falls = -before.dot(tangent), rises = after.dot(tangent);
    if (!(falls > 0 && rises > 0)) {
        const Vec3 x = edge.at(s), normal = shape.normal(x);
        const Vec3 across = normal - normal.dot(tangent) * tangent;
        const double part = across.norm();
        return {s, shape.distance(x), part > kPierced ? Vec3(across / part) : normal};
    }
    const double d0 = shape.distance(edge.at(s - beside)), d1 = shape.distance(edge.at(s + beside));
    const double place = s - beside + (d0 - d1 + 2 * beside * length * rises) / (length * (falls + rises));
    const double best = std::clamp(place, s - beside, s + beside);
    const Vec3 mean = (rises * before + falls * after) / (falls + rises);
    const double part = mean.norm(), distance = shape.distance(edge.at(best));
    if (part < kPierced) return {best, distance / kPierced, falls > rises ? after : before};
    return {best, distance < 0 ? distance / part : distance, mean / part};
}

EdgePlace deepest_place(const Shape& shape, const Segment& edge, double radius)
{
    const Deepest deepest = find_deepest(shape, edge, radius);
    if (deepest.s > 0 && deepest.s < 1) return place_across(shape, edge, deepest.s);
    return {deepest.s, deepest.distance, shape.normal(edge.at(deepest.s))};
}

std::optional<EdgeTouch> first_touch(const Shape& shape, const Segment& start, const Segment& end, double radius,
                                     double near)
{
    const double way = std::max((end.a - start.a).norm(), (end.b - start.b).norm());
    EdgeTouch touch;
    for (int i = 0; i < kMostAdvances; ++i) {
        const Deepest deepest = find_deepest(shape, between(start, end, touch.time), radius);
        touch.s = deepest.s < 1 ? deepest.s : 0;
        const double room = deepest.distance - radius;
        if (room <= near) return touch;
        if (room > (1 - touch.time) * way) return {};
        touch.time += room / way;
    }
    return touch;
}

} // namespace rivulet
