#include "strands/held_inside.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Depth, in radii, beyond which a place on the surface is inside: of a root that lies on it rounding decides.
constexpr double kOnSurface = 1e-3;
/// Part of its length by which an edge rises from the surface if it is not to lie along it.
constexpr double kSteep = 0.5;

class HeldInside {
public:
    HeldInside(const StrandModel& model, std::span<const Vec3> position, std::span<const StrandObstacle> obstacles)
        : model_(model), position_(position), obstacles_(obstacles)
    {
    }

    void go_from(const StrandPin& pin)
    {
        if (pin.body < 0 || static_cast<std::size_t>(pin.body) >= obstacles_.size()) return;
        const auto after = std::upper_bound(model_.first.begin(), model_.first.end(), pin.vertex);
        const std::int32_t begin = after[-1], last = *after - 1;
        const auto strand = static_cast<std::size_t>(after - model_.first.begin() - 1);
        const RodMaterial& m = model_.materials[static_cast<std::size_t>(model_.material[strand])];
        const double radius = 0.5 * (m.radius_a + m.radius_b) * model_.scale_at(static_cast<std::size_t>(pin.vertex));
        for (const std::int32_t way : {-1, 1})
            for (std::int32_t v = pin.vertex; way < 0 ? v > begin : v < last; v += way) {
                if (!is_inside(v, v + way, pin.body, radius)) break;
                mark(std::min(v, v + way), pin.body);
            }
    }

    std::vector<std::int32_t> found;

private:
    [[nodiscard]] const Vec3& at(std::int32_t v) const { return position_[static_cast<std::size_t>(v)]; }

    /// Whether the edge from one vertex to the next is, or has just come out.
    [[nodiscard]] bool is_inside(std::int32_t from, std::int32_t to, std::int32_t body, double radius) const
    {
        const StrandObstacle& obstacle = obstacles_[static_cast<std::size_t>(body)];
        const auto distance = [&](std::int32_t v) { return obstacle.shape->distance(obstacle.start.to_body(at(v))); };
        const double start = distance(from);
        if (start < -kOnSurface * radius) return true;
        return start < radius && distance(to) - start > kSteep * (at(to) - at(from)).norm();
    }

    void mark(std::int32_t edge, std::int32_t body)
    {
        if (found.empty()) found.assign(position_.size(), -1);
        found[static_cast<std::size_t>(edge)] = body;
    }

    const StrandModel& model_;
    std::span<const Vec3> position_;
    std::span<const StrandObstacle> obstacles_;
};

} // namespace

std::vector<std::int32_t> find_held_inside(const StrandModel& model, std::span<const Vec3> position,
                                           std::span<const StrandObstacle> obstacles)
{
    HeldInside inside(model, position, obstacles);
    for (const StrandPin& pin : model.pins) inside.go_from(pin);
    return std::move(inside.found);
}

} // namespace rivulet
