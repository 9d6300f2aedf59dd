#include "strands/pinched_contacts.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rivulet {
namespace {

/// Distance along a strand of contacts that count as being at one place, in edges.
constexpr double kOnePlace = 0.5;

/// How far an obstacle moves in the step where a contact touches it.
Vec3 obstacle_motion(const StrandContact& c, std::span<const Vec3> start)
{
    const auto v = static_cast<std::size_t>(c.a);
    return c.carried - ((1 - c.s) * start[v] + c.s * start[v + 1]);
}

/// The normal, less what of it is along the strand, where nothing gives way.
Vec3 across(const StrandContact& c, std::span<const Vec3> start)
{
    const auto v = static_cast<std::size_t>(c.a);
    const Vec3 tangent = (start[v + 1] - start[v]).normalized();
    return c.normal - c.normal.dot(tangent) * tangent;
}

/// By how much two contacts of a strand ask for more than there is between their obstacles; at most 0 if there is room.
double lacking_room(const StrandContact& x, const StrandContact& y, std::span<const Vec3> start)
{
    if (x.obstacle() == y.obstacle() || std::abs(x.a + x.s - (y.a + y.s)) > kOnePlace) return 0;
    const Vec3 across_x = across(x, start), across_y = across(y, start);
    if (across_x.dot(across_y) > kOpposed * across_x.norm() * across_y.norm()) return 0;
    const Vec3 apart = obstacle_motion(x, start) - obstacle_motion(y, start);
    return 0.5 * (x.normal - y.normal).dot(apart) - x.gap - y.gap;
}

} // namespace

void share_lacking_room(const StrandMotion& motion, double most, std::span<StrandContact> contacts)
{
    const auto is_solid = [](const StrandContact& c) { return c.is_with_obstacle() && c.bridge < 0; };
    std::vector<double> lacking(contacts.size(), 0.0);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        if (!is_solid(contacts[i])) continue;
        for (std::size_t j = i + 1; j < contacts.size() && contacts[j].a <= contacts[i].a + 1; ++j) {
            if (!is_solid(contacts[j])) continue;
            const double room = lacking_room(contacts[i], contacts[j], motion.start);
            if (room > most) continue;
            lacking[i] = std::max(lacking[i], room);
            lacking[j] = std::max(lacking[j], room);
        }
    }
    for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].gap += 0.5 * lacking[i];
}

} // namespace rivulet
