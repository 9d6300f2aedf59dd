#pragma once

#include "base/vec.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// One place where two things touch. Forces and motions are those of the first against the second.
struct ConeContact {
    Vec3 normal = Vec3::UnitZ(); ///< unit, from the second to the first
    double gap = 0;              ///< between them, along the normal, before the motion [m]
    double friction = 0;         ///< Coulomb's coefficient [1]
    double cohesion = 0;         ///< pull that it bears before it opens, which shifts its cone [N]
    double compliance = 1;       ///< motion for a force on this contact alone, averaged over directions [m/N]
};

/// Motions of all contacts for forces on all contacts, both in world axes: linear, symmetric, positive semi-definite.
class ContactCompliance {
public:
    virtual ~ContactCompliance() = default;
    virtual void apply(std::span<const Vec3> force, std::span<Vec3> motion) = 0;
};

struct ConeOptions {
    double tolerance = 1e-9; ///< largest residual of Coulomb's law, as a motion [m]
    int max_iterations = 300;
};
struct ConeSolution {
    int iterations = 0;
    double residual = 0; ///< largest, as a motion [m]
    std::int64_t worst = -1;
    bool converged = false;
};

/// Finds forces that make all contacts obey Coulomb's law at once, the cone of each shifted by its cohesion.
/// `motion` is that of the contacts under the forces that `force` holds when called; the search starts from `guess`. On
/// return force and motion are those of the solution. The same bits on any number of threads.
///
/// Accelerated projected gradients with restarts [Nesterov 1983] [ODonoghue 2015] on the forces, each contact scaled by
/// its own compliance; the motion is shifted by friction as De Saxce's change of variable asks, so that sliding does
/// not open contacts.
ConeSolution solve_cones(std::span<const ConeContact> contacts, ContactCompliance& compliance,
                         const ConeOptions& options, std::span<const Vec3> guess, std::span<Vec3> force,
                         std::span<Vec3> motion);

} // namespace rivulet
