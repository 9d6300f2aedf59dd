#pragma once

#include "contact/liquid_bridge.h"

#include <span>
#include <vector>

namespace rivulet {

/// cohesion() of two equal strands, or of a strand and a plane, for one contact angle: a table over gap/rupture_gap and
/// ln(A_L/r^2), interpolated by cubics. In units of the strand's radius, so that one serves strands of any thickness.
///
/// Its rectangle is where bridges live: gaps from 0 to rupture, A_L/r^2 from kLeastArea to kMostArea. Outside, the law
/// itself is evaluated. Interpolation error: below 1e-5 of the surface tension (see the tests).
class BridgeTable {
public:
    enum class Other { Strand, Plane };
    static constexpr double kLeastArea = 1e-2, kMostArea = 4e3;

    explicit BridgeTable(double contact_angle, Other other = Other::Strand);

    [[nodiscard]] double contact_angle() const noexcept { return contact_angle_; }
    /// As rivulet::cohesion(), for this radius [m].
    [[nodiscard]] double cohesion(double radius, double gap, double area) const;
    /// The same at n gaps in equal steps from 0 to rupture, where n - 1 divides 128; negative where an overfull bridge
    /// would push. Films beyond the table's range pull as those at its end do; thinner ones, which do not cover what is
    /// rough, less in proportion to their area.
    void sample(double radius, double area, std::span<float> force) const;
    /// Gap at which the bridge breaks [m].
    [[nodiscard]] double rupture_gap(double area) const;

private:
    [[nodiscard]] BridgeSides sides(double radius) const;
    [[nodiscard]] double interpolated(double gap_share, double log_area) const;

    double contact_angle_;
    Other other_;
    std::vector<float> force_; ///< before it is clamped, gap by gap
};

} // namespace rivulet
