#pragma once

#include "contact/liquid_bridge.h"

#include <map>
#include <span>
#include <vector>

namespace rivulet {

/// cohesion() of two sides of one shape: two equal strands, a strand and a plane, or a strand and a solid as curved as
/// to have a given part of the strand's curvature. A table over gap/rupture_gap and
/// ln(A_L/r^2), interpolated by cubics. In units of the strand's radius, so that one serves strands of any thickness.
///
/// Its rectangle is where bridges live: gaps from 0 to rupture, A_L/r^2 from kLeastArea to kMostArea. Outside, the law
/// itself is evaluated. Interpolation error: below 1e-5 of the surface tension (see the tests).
class BridgeTable {
public:
    enum class Other { Strand, Plane };
    static constexpr double kLeastArea = 1e-2, kMostArea = 4e3;

    explicit BridgeTable(double contact_angle, Other other = Other::Strand);
    /// For these sides, whose radii are in units of that of a; n_gaps - 1 is a multiple of 32.
    explicit BridgeTable(const BridgeSides& unit, int n_gaps = 129, int n_areas = 193);

    /// As rivulet::cohesion(), for this radius [m].
    [[nodiscard]] double cohesion(double radius, double gap, double area) const;
    /// The same at n gaps in equal steps from 0 to rupture, where n - 1 divides that of the table; negative where an
    /// overfull bridge would push. Films beyond the table's range pull as those at its end do; thinner ones, which do
    /// not cover what is rough, less in proportion to their area.
    void sample(double radius, double area, std::span<float> force) const;
    /// Gap at which the bridge breaks [m].
    [[nodiscard]] double rupture_gap(double area) const;
    [[nodiscard]] double contact_angle() const { return unit_.a.contact_angle; } ///< of a [rad]

private:
    [[nodiscard]] BridgeSides sides(double radius) const;
    [[nodiscard]] double interpolated(double gap_share, double log_area) const;

    BridgeSides unit_;
    int n_gaps_, n_areas_;
    std::vector<float> force_; ///< before it is clamped, gap by gap
};

/// The same for two strands of any two radii, by the thinner one's radius and the thicker one's curvature in units of
/// the thinner one's.
class StrandBridgeTable {
public:
    explicit StrandBridgeTable(double contact_angle) : equal_(contact_angle) {}

    [[nodiscard]] double rupture_gap(double area) const { return equal_.rupture_gap(area); } ///< [m]
    /// To be called before sample() is, with each curvature that will be sampled: makes tables that are not there yet.
    /// Not to be called by two threads at once.
    void prepare(double curvature) const;
    /// As BridgeTable::sample(), at 33 gaps.
    void sample(double radius, double curvature, double area, std::span<float> force) const;

private:
    BridgeTable equal_;
    mutable std::map<int, BridgeTable> unequal_; ///< by ratio of radii, in steps of kRatioStep of its logarithm
};

/// The same for a strand and solids of another contact angle, plane or convex.
class SolidBridgeTable {
public:
    /// Solids less curved than this part of the strand's curvature count as planes, those more curved than the strand
    /// as if they were as much.
    static constexpr double kLeastCurvature = 2e-3;

    SolidBridgeTable(double strand_angle, double solid_angle);

    [[nodiscard]] double rupture_gap(double area) const { return plane_.rupture_gap(area); } ///< [m]
    /// To be called before sample() is, with the largest curvature of what will be sampled, in units of the strand's:
    /// makes tables that are not there yet. Not to be called by two threads at once.
    void prepare(double curvature) const;
    /// As BridgeTable::sample(), at 33 gaps; curvature in units of the strand's.
    void sample(double radius, double curvature, double area, std::span<float> force) const;

private:
    double strand_angle_, solid_angle_;
    BridgeTable plane_;
    mutable std::vector<BridgeTable> curved_;
};

} // namespace rivulet
