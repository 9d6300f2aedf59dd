#pragma once

#include "fluid/solids.h"
#include "grid/tile_grid.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rivulet {

/// Implicit viscosity with the full stress tensor and a traction-free surface [Batty 2008]: the velocity u that
/// minimises, over the volume of the liquid,
///   integral of  density |u - u0|^2 / (2 dt)  +  mu |D(u)|^2,     D = (grad u + grad u^T) / 2.
/// Rigid motion has D = 0 and costs nothing, so that free liquid keeps its linear and angular momentum and spins,
/// folds and coils as it should. Theory: docs/theory/viscosity.md.
///
/// Solids with friction hold the liquid that touches them: with 1 it does not slip, below it slips by Navier's law,
/// over the length kSlipLength (1 - f) / f. Solids with zero friction exert no shear (free slip); straight walls across
/// an axis stop the velocity across them, and so take part in the normal stress. Smooth walls that are slanted or
/// curved exert no viscous force at all: only the pressure keeps liquid out of them.
struct ViscosityInput {
    const TileGrid* grid = nullptr;
    const Solids* solids = nullptr;
    const SolidFields* solid_fields = nullptr;
    std::span<const double> liquid_distance; ///< at cell centres [m]
    std::span<const double> density;         ///< at cell centres [kg/m^3], 0 = unknown; empty: uniform_density
    double uniform_density = 1000;           ///< [kg/m^3]
    std::span<const double> viscosity;       ///< mu at cell centres, everywhere near liquid [Pa s]; empty: uniform
    double uniform_viscosity = 1e-3;         ///< [Pa s]
    double dt = 0;                           ///< [s]
    /// The static solids and the cells are those of the solver's last solve: what it knows of them is used again. Saves
    /// time, changes nothing.
    bool has_same_static_solids = false;
    /// Faces with a mark here keep their velocity, whatever pulls at them; empty: none.
    std::array<std::span<const std::uint8_t>, 3> driven = {};
    /// What a force that viscosity balances would alone add to the velocity in dt [m/s]; empty: none. Acts on the
    /// faces that viscosity moves and no others, which have nothing to balance it with.
    std::array<std::span<const double>, 3> push = {};
    /// As in PressureInput: faces of these tiles have the mass `carried` [kg], and those without any are not moved, nor
    /// do others follow. What tolerance leaves of the momentum of all these faces together is mended.
    std::span<const std::uint8_t> free_tiles = {};
    std::array<std::span<const double>, 3> carried = {};

    [[nodiscard]] bool is_free(std::size_t tile) const { return !free_tiles.empty() && free_tiles[tile] != 0; }
};

/// The least mu dt / (density dx^2) that is worth a solve. Below it a step changes no velocity by more than about two
/// thousandths of the difference between neighbours (the largest eigenvalue is 12 times this number), which is less
/// than the transfers between particles and grid lose. Water on cells of 1 cm is below, on cells of 2 mm above.
inline constexpr double kLeastViscousNumber = 2e-4;

struct ViscosityResult {
    int iterations = 0;
    double error = 0; ///< estimated largest error of a velocity, from the residual [m/s]
    bool converged = false;
    std::int64_t n_unknowns = 0;
};

/// What the liquid's viscous stress does to a body over a step, on average.
struct ViscousLoad {
    Vec3 force = Vec3::Zero();  ///< [N]
    Vec3 torque = Vec3::Zero(); ///< about the body's position [N m]
};

/// Conjugate gradients in double; the preconditioner is the diagonal where viscosity is weak and, where it is strong,
/// one multigrid V-cycle for each velocity component. Keeps its memory between solves; the result depends only on the
/// arguments.
class ViscositySolver {
public:
    ViscositySolver();
    ~ViscositySolver();
    ViscositySolver(ViscositySolver&&) noexcept;
    ViscositySolver& operator=(ViscositySolver&&) noexcept;

    /// Replaces the velocity on the faces by its viscous successor, to within `tolerance` [m/s]. Faces in solids that
    /// hold the liquid get the solid's velocity, or that of the liquid which slips along it; faces just outside of the
    /// liquid take part in the change of the faces beside them, by push and viscosity together. Without convergence the
    /// velocity is left as it was.
    ViscosityResult solve(const ViscosityInput& input, std::array<std::vector<double>, 3>& velocity, double tolerance,
                          int max_iterations);

    /// Continues a velocity through the walls that hold the liquid, as of the last solve: faces just inside get the
    /// mean of the lines from the liquid faces beside them through the wall's velocity at the wall. Particles then meet
    /// the wall's velocity at the wall and not half a cell before it.
    void extend_through_walls(std::array<std::vector<double>, 3>& velocity) const;

    /// Of the last solve, one for each body of its solids.
    [[nodiscard]] const std::vector<ViscousLoad>& loads() const noexcept;
    /// Part of a cell-sized cube around a face that is liquid and free to move, as of the last solve.
    [[nodiscard]] double moving_part(std::size_t axis, std::size_t face) const noexcept;
    /// Part of it that is liquid where the solve has no unknown: the solid there holds it, or bears it if it is smooth.
    [[nodiscard]] double held_part(std::size_t axis, std::size_t face) const noexcept;
    /// Whether the cubes around the three lower faces of a cell are free liquid and nothing else.
    [[nodiscard]] bool moves_all(std::size_t cell) const noexcept;
    /// Memory held between solves.
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace rivulet
