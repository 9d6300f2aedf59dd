#pragma once

#include "fluid/viscosity_volumes.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace rivulet {

using FaceField = std::array<std::vector<double>, 3>;

/// The viscous step as a symmetric positive definite system (M + K) u = M u0 on the liquid faces.
///
/// K = B^T W B from samples of the strain: D_aa in cell n from the faces of axis a below and above it, and D_ab on edge
/// c = 3 - a - b of cell n from the two faces of each axis around it. With a = c + 1, b = c + 2 (mod 3):
///   cell  s = g (u_a[n + a] - u_a[n]),                                           W = 2 mu V dt / dx^2
///   edge  s = g_0 (u_a[n] - u_a[n - b]) + g_1 (u_b[n] - u_b[n - a]),             W =   mu V dt / dx^2
/// V: part of the sample's volume that is liquid, at most kStressPerMass times that of any face it moves, so that no
/// face is moved by a stress that it is too light for. g = 1, but 1 / theta where just one face of a difference is in a
/// solid that holds the liquid and the wall cuts it at theta: velocities there are relative to the solid's. Where the
/// liquid slips along the wall by Navier's law, W has the part theta / (theta + slip length / dx) of that.
class ViscosityOperator {
public:
    ViscosityOperator() = default;
    ViscosityOperator(const ViscosityOperator&) = delete;
    ViscosityOperator& operator=(const ViscosityOperator&) = delete;

    /// The fields and bodies of the input must outlive the use of the operator.
    void build(const ViscosityInput& input);

    /// q = (M + K) p on liquid faces, 0 elsewhere; p must be 0 there. Returns p . q.
    [[nodiscard]] double apply(const FaceField& p, FaceField& q);
    /// q = -(force of viscosity) * dt, per volume: K u with the motion of the solids. `after` is called for every tile
    /// as soon as its q is known; it may change u there.
    void apply_stress(const FaceField& u, FaceField& q, const std::function<void(int tile)>& after);
    /// Velocity of liquid at the wall that holds a face, from the liquid faces beside it: the solid's, and slip.
    [[nodiscard]] double velocity_at_wall(std::size_t axis, std::size_t face, const FaceField& u) const;
    /// u on held faces beside liquid ones: the liquid's velocity relative to the solid's, continued through the wall;
    /// where it slips, between that and the value that u has there.
    void extend_through_walls(FaceField& u) const;
    /// Force and torque on each body, for the velocity u.
    [[nodiscard]] std::vector<ViscousLoad> loads(const FaceField& u) const;

    [[nodiscard]] const ViscosityInput& input() const noexcept { return in_; }
    [[nodiscard]] const TileGrid& grid() const noexcept { return *in_.grid; }
    [[nodiscard]] FaceKind kind(std::size_t axis, std::size_t face) const { return volumes_.kind[axis][face]; }
    [[nodiscard]] const ControlVolumes& volumes() const noexcept { return volumes_; }
    /// Density times volume fraction of the liquid faces, 0 elsewhere [kg/m^3].
    [[nodiscard]] const FaceField& mass() const noexcept { return mass_; }
    /// Tiles with liquid faces or samples; all fields are zero in the others.
    [[nodiscard]] const std::vector<std::int32_t>& tiles() const noexcept { return tiles_; }
    [[nodiscard]] std::int64_t n_unknowns() const noexcept { return n_unknowns_; }
    /// Largest mu dt / (density dx^2).
    [[nodiscard]] double viscous_number() const noexcept { return viscous_number_; }

    /// The block of one component on the faces of a tile, as a seven-point system: coefficients towards the lower
    /// neighbours along each axis, what the diagonal has beyond them and the upper ones, and the whole diagonal.
    void component_rows(std::size_t axis, int t, FaceField& coefficient, std::vector<double>& extra,
                        std::vector<double>& diagonal) const;
    /// The whole diagonal alone.
    void component_diagonal(std::size_t axis, int t, std::vector<double>& diagonal) const;
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    struct Sample;
    struct Row;
    [[nodiscard]] Sample cell_sample(int t, const Vec3i& cell, std::size_t axis) const;
    [[nodiscard]] Sample edge_sample(int t, const Vec3i& cell, std::size_t axis) const;
    void stretch_at_wall(Sample& sample) const;
    void limit_volume(Sample& sample) const;
    [[nodiscard]] double slip_at(int t, const Vec3i& cell, std::size_t axis) const;
    [[nodiscard]] double stress_left(const Sample& sample) const;
    [[nodiscard]] double body_shift(const Sample& sample) const;
    [[nodiscard]] double face_mass(std::size_t axis, std::size_t face, std::size_t below) const;
    [[nodiscard]] double edge_viscosity(int t, const Vec3i& cell, std::size_t axis) const;
    void build_mass(int t);
    void build_wall_sample(Sample sample, bool is_edge, std::size_t axis);
    void build_samples(int t);
    void build_plain_samples(int t);
    void build_tile(int t);
    void begin_walls(int t);
    /// A tile's values of a field of stretches: 1 where no wall cuts a difference.
    [[nodiscard]] const double* stretch(const std::vector<double>& field, int tile) const;
    void plain_diagonal(std::size_t axis, int t, std::vector<double>& diagonal) const;
    [[nodiscard]] bool is_near_held(int t) const;
    void find_tiles();
    void find_viscous_number();
    void stress_tile(int t, const FaceField& u, bool with_solids);
    [[nodiscard]] double continued_velocity(int t, const Vec3i& cell, std::size_t axis, const FaceField& u) const;
    [[nodiscard]] double gather_tile(int t, const FaceField& p, FaceField& q, double mass_share) const;
    template <class Body>
    void for_samples(int t, Body&& body) const;
    template <class Faces>
    [[nodiscard]] bool touches_wall(const Faces& faces) const;

    ViscosityInput in_;
    Solids solids_; ///< in_.solids points here
    ControlVolumes volumes_;
    FaceField mass_;
    FaceField cell_weight_, edge_weight_;
    bool has_held_ = false;   ///< there are solids: the stretches below are in use
    bool has_moving_ = false; ///< and moves: so are the shifts
    bool has_slip_ = false;   ///< liquid slips along some solid, but not freely
    FaceField cell_stretch_;
    std::array<FaceField, 2> edge_stretch_;
    FaceField cell_shift_, edge_shift_;    ///< what the motion of solids adds to s
    FaceField cell_stress_;                ///< W s g
    std::array<FaceField, 2> edge_stress_; ///< W s g_0, W s g_1; the second only where stretches are in use
    std::vector<std::uint8_t> has_wall_;   ///< tiles with samples at walls: in others stretches are 1, shifts 0
    std::vector<std::int32_t> tiles_;
    std::vector<double> partial_;
    std::int64_t n_unknowns_ = 0;
    double viscous_number_ = 0;
};

/// Driven faces weigh this many times what they hold: as good as held, and no harder to solve for.
inline constexpr double kDrivenMass = 1e5;

/// Least distance from a face to the wall that stops it, as a fraction of the cell size.
inline constexpr double kLeastWallTheta = 0.05;

/// Most stress volume a face is coupled to, per volume of its own.
inline constexpr double kStressPerMass = 4;

} // namespace rivulet
