#pragma once

#include "contact/cone_solver.h"
#include "contact/penalty_curve.h"

#include <span>

namespace rivulet {

struct CompliantOptions {
    double tolerance = 1e-7; ///< of the residual, against the one at the start
    double floor = 0;        ///< a residual that is good enough in any case, in its norm [J^1/2]
    int max_iterations = 500;
};
struct CompliantSolution {
    int iterations = 0;  ///< applications of the compliance
    double initial = 0;  ///< residual at the start [J^1/2]
    double residual = 0; ///< [J^1/2]
    bool converged = false;
    /// Work on the found x of what bodies lacked of balance before, and of what they lack of it with x [J].
    double lacked_work = 0, lacks_work = 0;
};

/// Solves (A + J^T K J) x = J^T b by conjugate gradients that A^-1 preconditions. Bodies feel each other only through
/// the springs K between them: A is that of the bodies, factored, J the motion of contacts along their normals.
/// Every residual is a J^T rho, every direction an A^-1 J^T pi, and products with A follow from these by recurrence:
/// only the compliance J A^-1 J^T is ever applied, once an iteration. Residuals are measured in the norm of A^-1.
///
/// Returns the x of the forces `force` at the contacts, A x = J^T force, and its motion J x. The law of each spring,
/// force = b - K motion, holds as far as the solution has converged.
CompliantSolution solve_compliant(ContactCompliance& compliance, std::span<const Vec3> normal,
                                  std::span<const double> stiffness, std::span<const double> b,
                                  const CompliantOptions& options, std::span<double> force, std::span<double> motion);

/// Bodies of which each is factored together with the springs that it hangs on, as if their other ends were held:
/// B = A + sum K (s_0^T s_0 + s_1^T s_1), s the motion of a spring's side along its normal; J = s_0 + s_1.
class SpringBodies {
public:
    virtual ~SpringBodies() = default;
    /// The same system by conjugate gradients that B^-1 preconditions: about half of the iterations. What is left to
    /// the iteration is what springs pass on from body to body. `motion` is that of the found x, and each spring obeys
    /// its law; A x = J^T force holds as far as the solution has converged. Residuals are measured in the norm of B^-1.
    virtual CompliantSolution solve(std::span<const double> b, const CompliantOptions& options, std::span<double> force,
                                    std::span<double> motion) = 0;
    /// Bodies go a part of the x found last. What they then lack of balance is made up for by the x found next: soft
    /// bodies would be thrown by what a solution lacks, little as it is, if forces alone were to say where they are.
    virtual void go(double part) = 0;
};

/// One place where two things push or pull each other along a normal.
struct PenaltyContact {
    Vec3 normal = Vec3::UnitZ(); ///< unit, from the second to the first
    double distance = 0;         ///< along the normal, without any force [m]
    double length = 0;           ///< of strand that it stands for [m]
    PenaltyCurve curve;
    const PairAttraction* attraction = nullptr; ///< null: dry
};

struct PenaltyOptions {
    double tolerance = 1e-9; ///< last correction, as a motion [m]
    int max_steps = 30;      ///< of Newton's method
    CompliantOptions linear;
};
struct PenaltySolution {
    int steps = 0;               ///< of Newton's method
    std::int64_t iterations = 0; ///< of all linear solutions
    double residual = 0;         ///< last correction, as a motion [m]
    bool converged = false;
};

/// Finds the forces that obey the curves of all contacts at once, positive = push, from the guess in `force`: Newton's
/// method with a line search on the energy of bodies, that answer linearly, and curves. `motion` takes the motion along
/// the normals under these forces. The same bits on any number of threads.
PenaltySolution solve_penalties(std::span<const PenaltyContact> contacts, ContactCompliance& compliance,
                                const PenaltyOptions& options, std::span<double> force, std::span<double> motion);

} // namespace rivulet
