#pragma once

#include "base/vec3f.h"
#include "grid/particle_order.h"
#include "grid/tile_grid.h"

#include <array>
#include <span>
#include <vector>

namespace rivulet {

/// A staggered vector field with what was gathered to make it. Flat tile fields, one per axis.
struct FaceFields {
    std::array<std::vector<double>, 3> velocity; ///< [m/s]; momentum while particles are being scattered
    std::array<std::vector<double>, 3> mass;     ///< [kg]
    bool is_finite = true;                       ///< whether all of them were, when particles had been scattered

    void reset(const TileGrid& grid);
};

/// What the transfers read of a particle.
struct ParticleInput {
    std::span<const Vec3> position;       ///< [m]
    std::span<const Vec3> velocity;       ///< [m/s]
    std::span<const Mat3> affine;         ///< [1/s], row a = gradient of component a
    std::span<const double> volume;       ///< [m^3]
    std::span<const std::int32_t> liquid; ///< index into density; empty: all are of the first
    std::span<const double> density;      ///< of each liquid [kg/m^3]
    std::span<const Vec3f> lead = {};     ///< [m/s]; empty: none
    double lead_part = 0;                 ///< of it that is added to the velocity

    [[nodiscard]] double mass(std::size_t p) const
    {
        return volume[p] * density[liquid.empty() ? 0 : static_cast<std::size_t>(liquid[p])];
    }
};

/// What the transfers calculate in. Sums over particles of different cells, and what is stored, are double in any case.
enum class TransferPrecision { Double, Float };

/// APIC particle to grid [Jiang 2015] with quadratic B-splines: mass m = sum w m_p and velocity
///   u_a = sum w m_p (v_a + C_a . (x_face - x_p)) / m   on every face of axis a that a particle reaches, 0 elsewhere.
/// Tiles are scattered colour by colour in a fixed order.
void particles_to_faces(const TileGrid& grid, const ParticleOrder& order, const ParticleInput& particles,
                        FaceFields& faces, TransferPrecision precision = TransferPrecision::Double);

/// A lead becomes kept * itself + factor * (change of the velocity); empty: none.
struct LeadOutput {
    std::span<Vec3f> lead; ///< [m/s]
    double kept = 0, factor = 0;
};

/// APIC grid to particle: v_a = sum w u_a,  C_a = 4/dx^2 sum w u_a (x_face - x_p).
void faces_to_particles(const TileGrid& grid, const ParticleOrder& order,
                        const std::array<std::vector<double>, 3>& velocity, std::span<const Vec3> position,
                        std::span<Vec3> particle_velocity, std::span<Mat3> particle_affine,
                        TransferPrecision precision = TransferPrecision::Double, const LeadOutput& lead = {});

/// Interpolated velocity at any point; faces that do not exist count as zero.
[[nodiscard]] Vec3 interpolate_faces(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity,
                                     const Vec3& x);

/// What the faces about a point have: the velocity there, and the mean of its square, which is more where they differ.
struct FaceMean {
    Vec3 velocity = Vec3::Zero(); ///< [m/s]
    double square = 0;            ///< [m^2/s^2]
};
[[nodiscard]] FaceMean mean_of_faces(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity,
                                     const Vec3& x);
/// The largest size of each component on those faces; no tile there: zero.
[[nodiscard]] Vec3 largest_at_faces(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity,
                                    const Vec3& x);

/// How a field that particles move through changes with time, as far as they know.
struct LeadInput {
    std::span<const Vec3f> lead; ///< change of a particle's velocity in half a step, along its path [m/s]; empty: none
    std::span<const Mat3> affine;
};

/// Midpoint rule through the field: x + dt u(x + dt/2 v), v = the particle's velocity u(x). With a lead l the field
/// itself is taken half a step ahead, by what of l is not change of place: x + dt (u + l - dt/2 C v).
void advect_midpoint(const TileGrid& grid, const ParticleOrder& order,
                     const std::array<std::vector<double>, 3>& velocity, std::span<const Vec3> particle_velocity,
                     double dt, std::span<Vec3> position, const LeadInput& lead = {});

} // namespace rivulet
