#include "strands/strand_stability.h"

#include "strands/rod_system.h"

#include <cmath>

namespace rivulet {
namespace {

constexpr double kStiffest = 1e6; ///< no factor beyond it is looked for
constexpr double kFastest = 1e5;  ///< and no rate [1/s]
constexpr double kPrecision = 0.02;

/// Unknowns of the first two vertices and of the edge between.
constexpr int kClampedUnknowns = 7;

/// One strand in all lanes. Its Hessian is linear in the moduli: what the moments of the balance add stays.
class BalancedRod {
public:
    BalancedRod(const StrandModel& model, const StrandState& state, std::int32_t strand)
        : model_(model), state_(state), begin_(static_cast<std::size_t>(model.first[static_cast<std::size_t>(strand)])),
          material_(model.materials[static_cast<std::size_t>(model.material[static_cast<std::size_t>(strand)])]),
          system_(model.n_vertices(strand)), gradient_(static_cast<std::size_t>(4 * system_.n - 1))
    {
        for (int k = 0; k < system_.n; ++k) load_vertex(k);
        system_.h = 1;
        system_.prepare();
        start_.resize(system_.n);
        configure(system_, start_);
        mass_ = system_.mass;
        inertia_ = system_.inertia;
    }

    /// Whether a mode grows faster than at `rate`, with moduli `stiffer` times as large, lane by lane: then
    /// rate^2 M + K is not positive definite.
    [[nodiscard]] LaneMask leaves(const Lane& stiffer, const Lane& rate)
    {
        for (int k = 0; k + 1 < system_.n; ++k) load_law(k, stiffer);
        for (std::size_t k = 0; k < mass_.size(); ++k) {
            system_.mass[k] = rate * rate * mass_[k];
            system_.inertia[k] = rate * rate * inertia_[k];
        }
        potential_hessian(system_, start_, spread(1.0), gradient_.data(), matrix_);
        for (int i = 0; i < std::min(matrix_.size(), kClampedUnknowns + kRodBandwidth); ++i)
            for (int j = std::max(0, i - kRodBandwidth); j <= i && j < kClampedUnknowns; ++j)
                matrix_.at(i, j) = spread(i == j ? 1.0 : 0.0);
        return ~(matrix_.factor() > 0.0);
    }

private:
    void load_vertex(int i)
    {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t v = begin_ + k;
        const auto all = [](const Vec3& x) { return LaneVec3{spread(x.x()), spread(x.y()), spread(x.z())}; };
        const RodMaterial& m = material_;
        system_.mass[k] = spread(m.density * m.area() * model_.volume_length(v));
        system_.twist[k] = spread(state_.twist[v]);
        if (i + 1 == system_.n) return;
        system_.inertia[k] = spread(0.25 * m.density * m.area() * model_.inertia_length(v) *
                                    (m.radius_a * m.radius_a + m.radius_b * m.radius_b));
        system_.edge[k] = all(state_.position[v + 1] - state_.position[v]);
        system_.director[k] = all(state_.director[v]);
        system_.free_spin[k] = spread(1.0);
    }

    /// Rest shapes move with the stiffness such that forces and moments are those of the balance.
    void load_law(int i, const Lane& stiffer)
    {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t v = begin_ + k;
        const RodMaterial& m = material_;
        const double length = model_.rest_length[v];
        const Lane less = 1.0 / stiffer;
        system_.stretch[k].weight = m.youngs_modulus * m.area() * model_.stretch_length(v) * stiffer;
        system_.stretch[k].inverse_rest_length = spread(1 / length);
        system_.stretch[k].strain = (start_.edge[k].length / length - 1.0) * (1.0 - less);
        if (i == 0) return;
        const double voronoi = model_.bend_length(v);
        RodBendLaw& bend = system_.bend[k];
        bend.weight[0] = m.youngs_modulus * m.bending_moment_1() / (2 * voronoi) * stiffer;
        bend.weight[1] = m.youngs_modulus * m.bending_moment_2() / (2 * voronoi) * stiffer;
        bend.twist_weight = m.shear_modulus * m.torsion_moment() / voronoi * stiffer;
        const RodBend& now = start_.bend[k];
        for (std::size_t a = 0; a < 4; ++a)
            bend.rest[a] = now.kappa[a] - less * (now.kappa[a] - model_.rest_curvature[v][a]);
        bend.twist_rest = now.twist - less * (now.twist - model_.rest_twist[v]);
    }

    const StrandModel& model_;
    const StrandState& state_;
    std::size_t begin_;
    const RodMaterial& material_;
    RodSystem system_;
    RodConfiguration start_;
    AlignedVector<Lane> mass_, inertia_;
    AlignedVector<Lane> gradient_;
    RodMatrix matrix_;
};

/// The x between `low` and `high` from which on fails(x) does not hold any more, four at a time.
template <class Fails>
double threshold(double low, double high, Fails&& fails)
{
    while (high / low > 1 + kPrecision) {
        const double part = std::pow(high / low, 1.0 / (kStrandLanes + 1));
        Lane x{};
        for (int l = 0; l < kStrandLanes; ++l) x[l] = low * std::pow(part, l + 1);
        const LaneMask failed = fails(x);
        int n = 0;
        while (n < kStrandLanes && failed[n] != 0) ++n;
        high = n < kStrandLanes ? x[n] : high;
        low = n > 0 ? x[n - 1] : low;
    }
    return high;
}

} // namespace

StrandStability strand_stability(const StrandModel& model, const StrandState& state, std::int32_t strand)
{
    BalancedRod rod(model, state, strand);
    const Lane one = spread(1.0), none{};
    if (!any(rod.leaves(one, none))) return {};
    return {.stiffer = threshold(1, kStiffest, [&](const Lane& factor) { return rod.leaves(factor, none); }),
            .growth = threshold(1 / kFastest, kFastest, [&](const Lane& rate) { return rod.leaves(one, rate); })};
}

} // namespace rivulet
