#pragma once

#include <span>
#include <vector>

namespace rivulet {

/// Dense Cholesky factorisation of a small symmetric positive semi-definite matrix. An unknown whose pivot vanishes
/// (one for each vector of the null space) is held at zero, which makes the solve a symmetric generalised inverse:
/// exact where the system is consistent.
class SemidefiniteCholesky {
public:
    /// `matrix` is n x n, row by row; only the lower triangle is read.
    void factor(std::span<const double> matrix, int n);
    /// Replaces b by a solution of A x = b.
    void solve(std::span<double> b) const;

    [[nodiscard]] int size() const noexcept { return n_; }
    /// Number of unknowns held at zero.
    [[nodiscard]] int n_fixed() const noexcept { return n_fixed_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return lower_.capacity() * sizeof(double); }

private:
    int n_ = 0;
    int n_fixed_ = 0;
    std::vector<double> lower_; ///< row by row; a zero on the diagonal marks a fixed unknown
};

} // namespace rivulet
