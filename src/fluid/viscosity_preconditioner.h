#pragma once

#include "fluid/poisson_multigrid.h"
#include "fluid/poisson_operator.h"
#include "fluid/viscosity_operator.h"

#include <array>
#include <functional>
#include <vector>

namespace rivulet {

/// An approximate inverse of a ViscosityOperator, symmetric and positive definite: its diagonal, or one multigrid
/// V-cycle for each component. The block of one component is a seven-point system, like that of the pressure, on the
/// grid of its faces.
class ViscosityPreconditioner {
public:
    void build(const ViscosityOperator& op);
    /// z = P r on liquid faces, 0 elsewhere. Returns r . z and the largest |z|. `before` is called for every tile of
    /// the system before its r is read, and may change it.
    struct Sums {
        double dot;
        double largest;
    };
    [[nodiscard]] Sums apply(
        const ViscosityOperator& op, const FaceField& r, FaceField& z,
        const std::function<void(int tile)>& before = [](int) {});

    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    struct Component {
        PoissonOperator matrix;
        PoissonMultigrid multigrid;
        double scale = 1; ///< matrix divided by the multigrid's
    };
    void build_component(const ViscosityOperator& op, std::size_t axis);
    void build_tile(const ViscosityOperator& op, std::size_t axis, int t);
    void apply_component(const ViscosityOperator& op, std::size_t axis, const std::vector<double>& r,
                         std::vector<double>& z);

    bool use_multigrid_ = false;
    FaceField inverse_diagonal_;
    std::array<Component, 3> components_;
    std::vector<std::uint8_t> unknown_;
    FaceField coefficient_;
    std::vector<double> extra_, diagonal_;
    std::vector<double> partial_, largest_;
};

/// From this viscous number on the V-cycles pay.
inline constexpr double kMultigridViscousNumber = 1;

} // namespace rivulet
