#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rivulet {

struct FilmCarrier {
    std::span<const double> velocity, edge_length; ///< of edges [m/s, m]
    std::span<const double> vertex_length;         ///< [m]
};

/// Implicit upwind transport along a strand. What cell j holds leaves it at the rates right[j] (to j + 1; from the last
/// cell: out of the strand) and left[j] (to j - 1), both as a share of the content at the end of the step:
///   (1 + right_j + left_j) q_j - right_(j-1) q_(j-1) - left_(j+1) q_(j+1) = q_j before
/// An M-matrix whose columns sum to 1: what is positive stays so for any step, and nothing is lost but what leaves.
/// Over one face liquid goes one way only, so right_(j-1) left_j = 0 and the diagonal is the pivots: solved by a sweep
/// there and one back without a single subtraction, so that all of this holds to the last digits of every cell.
class FilmTransport {
public:
    /// One factorisation for any number of quantities. left[0] must be 0: the root is closed.
    void factor(std::span<const double> right, std::span<const double> left);
    /// q <- transported q, for quantities that T() = 0 is right for.
    template <class T>
    void apply(std::span<T> q) const
    {
        for (std::size_t j = 1; j < q.size(); ++j) q[j] += forward_[j] * q[j - 1];
        q[q.size() - 1] *= inverse_pivot_[q.size() - 1];
        for (std::size_t j = q.size() - 1; j-- > 0;) q[j] = (q[j] + left_[j + 1] * q[j + 1]) * inverse_pivot_[j];
    }

    /// factor(), and apply() to the volume. An open tip lets out only what makes its film thicker than that of the
    /// vertex before, so the last of `right` may become less: what flows back from a tip does not come again, and every
    /// wave of the surface would drain it a little and make the next one larger.
    void move(std::span<double> volume, std::span<const double> vertex_length, std::span<double> right,
              std::span<const double> left);

    /// What is missing in the fluxes above to be of second order: those of the mean section of both ends, a step's half
    /// earlier. As much of it as makes no new highest or lowest section beside those before and after move() [Zalesak
    /// 1979], of which none is negative; and so that the centre of mass goes where the mean sections would take it.
    /// `volume` is what move() left, `passed` what went over each edge, and is added to.
    void sharpen(const FilmCarrier& carrier, double dt, std::span<const double> volume_before,
                 std::span<const double> volume, std::span<double> passed);
    /// After sharpen(): takes along what the liquid of each vertex has of q, an apply()ed quantity.
    template <class T>
    void carry_on(std::span<T> q) const
    {
        T coming = 0.0 * q[0];
        for (std::size_t j = 0; j < q.size(); ++j) {
            T going = 0.0 * q[j];
            if (const double part = j < part_.size() ? part_[j] : 0; part != 0)
                going = part > 0 ? T(part * q[j]) : T(part * q[j + 1]);
            q[j] += coming - going;
            coming = going;
        }
    }

private:
    void limit(const FilmCarrier& carrier, std::span<const double> volume_before, std::span<const double> volume);

    std::vector<double> forward_, left_, inverse_pivot_;
    std::vector<double> extra_, part_;      ///< over edges: volume [m^3]; part of what the vertex that it leaves has
    std::vector<double> may_come_, may_go_; ///< parts of it that limits allow at vertices
};

/// The rates of FilmTransport for a time dt. Half of a vertex's liquid lies on either edge: where both flow the same
/// way it leaves at their mean speed, not at that of the edge ahead, so that its centre of mass moves as its momentum
/// says however the flow speeds up along the strand.
void set_film_rates(const FilmCarrier& carrier, double dt, bool has_open_tip, std::span<double> right,
                    std::span<double> left);

} // namespace rivulet
