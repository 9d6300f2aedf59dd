#include "sim/active_mouths.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Between the end of what a mouth drives and what is in its way, in cells: liquid goes out sideways there.
constexpr double kRoomBeyond = 1;
constexpr double kRoom = kLeastDriven + kRoomBeyond;
/// A place so little inside of a solid is on its surface, in cells.
constexpr double kOnSurface = 0.02;
/// Least stride along a line to a solid, and stride through mouths, in cells.
constexpr double kLeastStride = 0.05, kMouthStride = 0.25;

/// Mouths that are wider are not looked at by parts, in cells.
constexpr double kWidest = 1000;

/// Whether solids may be nearer than `room` to a box, by balls about ever smaller parts of it: one about all of a wide
/// mouth would reach far beyond it.
bool may_be_near(const Solids& solids, const Pose& pose, const Aabb& box, double room, double smallest)
{
    const Vec3 size = box.size();
    const double d = solids.distance(pose.to_world(box.centre())) - room;
    if (d >= 0.5 * size.norm()) return false;
    int longest = 0;
    const double extent = size.maxCoeff(&longest);
    if (d < 0 || extent <= smallest || extent > kWidest * smallest) return true;
    Aabb lower = box, upper = box;
    lower.upper[longest] = upper.lower[longest] = box.centre()[longest];
    return may_be_near(solids, pose, lower, room, smallest) || may_be_near(solids, pose, upper, room, smallest);
}

} // namespace

ActiveMouths::ActiveMouths(const Model& model, double begin, double time) : cell_size_(model.options.cell_size)
{
    for (std::size_t n = 0; n < model.sources.size(); ++n) {
        const Source& source = model.sources[n];
        if (!(source.start <= time && source.stop > begin)) continue;
        if (mouths_.empty()) solids_ = solids_at(model, time, 0);
        const Pose pose = source.motion.pose(time);
        Placed& m = mouths_.emplace_back(Placed{n, &source, Mouth(source, cell_size_), pose, source.motion.twist(time),
                                                pose.rotation * source.velocity});
        m.bound();
        const bool flows = !source.velocity.isZero(0); // else there is no way that anything could be in
        m.has_solids = flows && may_be_near(solids_.view(), pose, m.mouth.bounds(), kRoom * cell_size_, cell_size_);
        if (!m.has_solids) continue;
        m.sunk = way_out_of_solids(m, pose.to_world(m.mouth.begin()), m.mouth.thickness());
        m.mouth.sink(m.sunk, cell_size_);
        m.bound();
    }
    for (Placed& a : mouths_)
        for (std::size_t b = 0; b < mouths_.size() && !a.flow.isZero(0); ++b) {
            const double reach = a.radius + mouths_[b].radius + kRoom * cell_size_;
            if (&mouths_[b] != &a && (mouths_[b].centre - a.centre).norm() < reach) a.near.push_back(b);
        }
}

void ActiveMouths::Placed::bound()
{
    centre = pose.to_world(mouth.bounds().centre());
    radius = 0.5 * mouth.bounds().size().norm();
}

bool ActiveMouths::drives(const Placed& m, const Vec3& x, double within) const
{
    const Vec3 y = m.pose.to_body(x);
    if (!m.mouth.holds(y, within)) return false;
    if (m.is_clear()) return true;
    return has_room(m, x, std::max(m.mouth.way_from_begin(y, m.sunk + kRoom * cell_size_, within) - m.sunk, 0.0));
}

/// `behind`: way from the begin of the line to x.
bool ActiveMouths::has_room(const Placed& m, Vec3 x, double behind) const
{
    if (m.is_clear()) return true;
    if (m.has_solids) push_out(solids_.view(), 0, x);
    const double least = std::max(kRoomBeyond, kRoom - behind / cell_size_) * cell_size_ * (1 - 1e-9);
    return way_to_solid(m, x, least) >= least && way_to_others(m, x, least) >= least;
}

double ActiveMouths::way_to_solid(const Placed& m, const Vec3& x, double most) const
{
    if (!m.has_solids) return most;
    const Solids solids = solids_.view();
    const Vec3 along = m.flow.normalized();
    for (double way = 0;; way = std::min(way, most)) {
        const double d = solids.distance(x + way * along);
        if (d < -kOnSurface * cell_size_) return std::max(way + d, 0.0);
        if (way >= most) return most;
        way += std::max(d, kLeastStride * cell_size_);
    }
}

double ActiveMouths::way_out_of_solids(const Placed& m, const Vec3& x, double most) const
{
    if (!m.has_solids) return 0;
    const Solids solids = solids_.view();
    const Vec3 along = m.flow.normalized();
    for (double way = 0; way < most;) {
        const double d = solids.distance(x + way * along);
        if (d >= 0) return way;
        way += std::max(-d, kOnSurface * cell_size_);
    }
    return most;
}

Vec3 ActiveMouths::out_of_solids(Vec3 x) const
{
    push_out(solids_.view(), kContactMargin * cell_size_, x);
    return x;
}

double ActiveMouths::way_to_others(const Placed& m, const Vec3& x, double most) const
{
    const Vec3 along = m.flow.normalized();
    for (double way = 0; way < most && !m.near.empty(); way += kMouthStride * cell_size_) {
        const Vec3 at = x + way * along;
        for (const std::size_t n : m.near) // those that touch it with their sides are not in its way
            if (mouths_[n].mouth.holds(mouths_[n].pose.to_body(at), -1e-6 * cell_size_)) return way;
    }
    return most;
}

} // namespace rivulet
