#pragma once

#include "contact/bridge_table.h"
#include "contact/penalty_curve.h"

#include <array>
#include <limits>

namespace rivulet {

/// What a bridge joins, at one place along it.
struct BridgeSite {
    double radius = 0;    ///< of the strand, or of the thinner of two [m]
    double touch = 0;     ///< distance of centre lines, or of centre line and solid, where surfaces touch [m]
    double area = 0;      ///< A_L [m^2]
    double tension = 0;   ///< surface tension, times the part of the bridge that is in air [N/m]
    double curvature = 0; ///< of what is across the bridge, in units of the strand's
};

/// Attraction of one bridge over the distance, straight between samples of the table and never negative: quick, and
/// with an exact potential. Nearer than touch it is what it is there. It does not end at rupture, beyond which it stays
/// what it was: whether a bridge has broken is looked at after a step, not within.
class BridgeCurve final : public PairAttraction {
public:
    BridgeCurve() = default;
    BridgeCurve(const BridgeTable& table, const BridgeSite& site);
    BridgeCurve(const StrandBridgeTable& table, const BridgeSite& site);
    BridgeCurve(const SolidBridgeTable& table, const BridgeSite& site);

    [[nodiscard]] double touch() const { return touch_; } ///< [m]
    [[nodiscard]] double force(double distance) const override;
    [[nodiscard]] double slope(double distance) const override;
    [[nodiscard]] double energy(double distance) const override;
    [[nodiscard]] double rupture() const override { return touch_ + kIntervals * spacing_; }
    [[nodiscard]] double reach() const override { return std::numeric_limits<double>::infinity(); }

    /// The curve with the same value at `distance` that nowhere falls: where it did, it is level. Thin bridges pull
    /// less the longer they are, so that an implicit step may have several solutions; this one has one.
    [[nodiscard]] BridgeCurve rising_about(double distance) const;
    /// Lets it draw things together, from `distance` on, by no more than `way`: nearer, solve() has the force fall to
    /// nothing on the way.
    void limit_closing(double distance, double way);
    /// energy() of the force that solve() finds [J/m].
    [[nodiscard]] double limited_energy(double distance) const;
    /// Slope of that force [N/m^2].
    [[nodiscard]] double limited_slope(double distance) const;
    /// The force F = length f(d) of a curve that nowhere falls, where F itself shortens the distance:
    /// d = free_distance - compliance F [N].
    [[nodiscard]] double solve(double free_distance, double compliance, double length) const;

private:
    static constexpr int kIntervals = 32;
    void scale(double tension);
    /// Place in units of the spacing, within [0, kIntervals].
    [[nodiscard]] double place(double distance) const;
    /// Also where it is negative.
    [[nodiscard]] double straight(double place) const;

    double touch_ = 0, spacing_ = 1;
    double start_ = 0, way_ = 0;                ///< of limit_closing(), no way = none
    double start_force_ = 0;                    ///< at its start [N/m]
    std::array<float, kIntervals + 1> force_{}; ///< negative where an overfull bridge would push [N/m]
};

} // namespace rivulet
