#include "numerics/semidefinite_cholesky.h"

#include "base/assert.h"

#include <cmath>

namespace rivulet {
namespace {
constexpr double kVanishingPivot = 1e-11; ///< relative to the diagonal entry before elimination
}

void SemidefiniteCholesky::factor(std::span<const double> matrix, int n)
{
    RIVULET_VERIFY(n >= 0 && matrix.size() >= static_cast<std::size_t>(n) * n);
    n_ = n;
    n_fixed_ = 0;
    lower_.resize(static_cast<std::size_t>(n) * n);
    for (int i = 0; i < n; ++i) {
        double* row_i = &lower_[static_cast<std::size_t>(i) * n];
        double pivot = matrix[static_cast<std::size_t>(i) * n + i];
        const double threshold = kVanishingPivot * pivot;
        for (int j = 0; j < i; ++j) {
            const double* row_j = &lower_[static_cast<std::size_t>(j) * n];
            double sum = matrix[static_cast<std::size_t>(i) * n + j];
            for (int m = 0; m < j; ++m) sum -= row_i[m] * row_j[m];
            row_i[j] = row_j[j] > 0 ? sum / row_j[j] : 0;
            pivot -= row_i[j] * row_i[j];
        }
        const bool regular = pivot > threshold && pivot > 0;
        row_i[i] = regular ? std::sqrt(pivot) : 0;
        n_fixed_ += regular ? 0 : 1;
    }
}

void SemidefiniteCholesky::solve(std::span<double> b) const
{
    RIVULET_ASSERT(b.size() >= static_cast<std::size_t>(n_));
    for (int i = 0; i < n_; ++i) {
        const double* row = &lower_[static_cast<std::size_t>(i) * n_];
        double sum = b[i];
        for (int j = 0; j < i; ++j) sum -= row[j] * b[j];
        b[i] = row[i] > 0 ? sum / row[i] : 0;
    }
    for (int i = n_ - 1; i >= 0; --i) {
        const double* row = &lower_[static_cast<std::size_t>(i) * n_];
        b[i] = row[i] > 0 ? b[i] / row[i] : 0;
        for (int j = 0; j < i; ++j) b[j] -= row[j] * b[i];
    }
}

} // namespace rivulet
