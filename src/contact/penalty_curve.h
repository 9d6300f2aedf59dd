#pragma once

namespace rivulet {

/// How strongly, and from how far, things that come near push each other away.
struct PenaltyLaw {
    double stiffness = 1e3; ///< k, per length of strand [Pa]
    double range = 1.5;     ///< m: where the push ends, as a multiple of the distance at which surfaces touch [1]
};

/// Attraction of two wet strands, or of a wet strand and a solid, per length.
class PairAttraction {
public:
    virtual ~PairAttraction() = default;
    /// f_s(d), positive = attraction, never negative [N/m]. Beyond rupture, that of a bridge that has not broken.
    [[nodiscard]] virtual double force(double distance) const = 0;
    /// Of force() [Pa].
    [[nodiscard]] virtual double slope(double distance) const = 0;
    /// A potential of force(), up to a constant [J/m].
    [[nodiscard]] virtual double energy(double distance) const = 0;
    /// Distance at which its bridge breaks [m].
    [[nodiscard]] virtual double rupture() const = 0;
    /// Distance at which it ends [m]: further off, if the bridge is broken only after the solution.
    [[nodiscard]] virtual double reach() const { return rupture(); }
};

/// Contact and cohesion of two strands in one curve [Fei 2017]: force per length over the distance d of centre lines
/// (or of a centre line and a solid),
///   f(d) = K(d) (d - d0),   K = k for d < d_min,  linear to K0 = f_s(B)/(B - d0) at d0,  K0 up to B = 2 d0 - d_min,
/// then f_s(d) itself; nothing beyond its reach. Negative = push. A null `attraction` is a dry pair, f_s = 0: only the
/// push remains. A bridge that breaks before B has its K0 from there, one that breaks before d0 has none. Continuous,
/// of continuous slope at d0; kinks at d_min and B, a jump at rupture.
struct PenaltyCurve {
    double touch = 0;     ///< d_min: surfaces touch [m]
    double rest = 0;      ///< d0: no force [m]
    double stiffness = 0; ///< k [Pa]

    PenaltyCurve() = default;
    PenaltyCurve(const PenaltyLaw& law, double touching_distance)
        : touch(touching_distance), rest(law.range * touching_distance), stiffness(law.stiffness)
    {
    }

    /// Distance beyond which there is no force [m].
    [[nodiscard]] double reach(const PairAttraction* attraction) const;
    /// K(d) >= 0 [Pa].
    [[nodiscard]] double secant(double distance, const PairAttraction* attraction) const;
    /// f(d), positive = attraction [N/m].
    [[nodiscard]] double force(double distance, const PairAttraction* attraction) const;
    /// Its potential, 0 at d0 [J/m].
    [[nodiscard]] double energy(double distance, const PairAttraction* attraction) const;
    /// The larger of K(d) and f'(d) [Pa]: a stiffness that is never negative, with which Newton's method converges
    /// where K alone, half of f' near d0, would swing.
    [[nodiscard]] double newton_stiffness(double distance, const PairAttraction* attraction) const;

private:
    [[nodiscard]] double blend_end(const PairAttraction* attraction) const;
    [[nodiscard]] double cohesive_stiffness(const PairAttraction* attraction) const;
};

} // namespace rivulet
