#pragma once

#include <vector>

namespace rivulet {

/// Suction of the liquid in the groove between two equal strands that touch: its meniscus is the flatter the more
/// liquid there is (liquid_bridge.h at gap 0). In units of the strand's radius, so that one serves strands of any
/// thickness.
class GrooveSuction {
public:
    explicit GrooveSuction(double contact_angle);

    /// r/R of the meniscus of a bridge whose cross-section is `area` in r^2: infinite where there is no liquid, falling
    /// until the strands are drowned, then constant. 0 everywhere for liquids that do not wet.
    [[nodiscard]] double operator()(double area) const;

private:
    std::vector<double> log_area_, curvature_;
};

} // namespace rivulet
