#include "band_reference.h"

#include "base/assert.h"

#include <Eigen/SparseCholesky>

#include <algorithm>

#ifdef RIVULET_LAPACK
extern "C" {
void dpbtrf_(const char* uplo, const int* n, const int* kd, double* ab, const int* ldab, int* info);
void dpbtrs_(const char* uplo, const int* n, const int* kd, const int* nrhs, const double* ab, const int* ldab,
             double* b, const int* ldb, int* info);
}
#endif

namespace rivulet {

struct SparseReference::Parts {
    using Matrix = Eigen::SparseMatrix<double>;
    Matrix matrix;
    /// The natural order: that of the vertices along a strand fills nothing but the band.
    Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> solver;
};

#ifdef RIVULET_LAPACK
bool has_lapack() { return true; }

void solve_by_lapack(const BandMatrices& matrices, std::vector<double>& x)
{
    const int n = matrices.n, kd = matrices.half_bandwidth, ldab = matrices.column(), one = 1;
    const auto size = static_cast<std::ptrdiff_t>(matrices.entries_of_one());
    std::vector<double> scratch(static_cast<std::size_t>(size)); // factors replace the matrix
    double* b = x.data();
    for (auto a = matrices.entries.begin(); a != matrices.entries.end(); a += size, b += n) {
        std::copy(a, a + size, scratch.begin());
        int info = 0;
        dpbtrf_("L", &n, &kd, scratch.data(), &ldab, &info);
        RIVULET_VERIFY(info == 0);
        dpbtrs_("L", &n, &kd, &one, scratch.data(), &ldab, b, &n, &info);
        RIVULET_VERIFY(info == 0);
    }
}
#else
bool has_lapack() { return false; }
void solve_by_lapack(const BandMatrices&, std::vector<double>&) { throw InternalError("built without LAPACK"); }
#endif

SparseReference::SparseReference(const BandMatrices& matrices) : parts_(std::make_unique<Parts>())
{
    const int n = matrices.n, w = matrices.half_bandwidth;
    parts_->matrix.resize(n, n);
    parts_->matrix.reserve(Eigen::VectorXi::Constant(n, w + 1));
    for (int j = 0; j < n; ++j)
        for (int i = j; i < std::min(n, j + w + 1); ++i) parts_->matrix.insert(i, j) = i == j ? 1 : 0;
    parts_->matrix.makeCompressed();
    parts_->solver.analyzePattern(parts_->matrix);
}
SparseReference::~SparseReference() = default;

void SparseReference::solve(const BandMatrices& matrices, std::vector<double>& x)
{
    const int n = matrices.n, column = matrices.column();
    double* value = parts_->matrix.valuePtr();
    double* b = x.data();
    for (auto a = matrices.entries.begin(); a != matrices.entries.end(); b += n) {
        double* v = value;
        for (int j = 0; j < n; ++j, a += column) v = std::copy_n(a, std::min(column, n - j), v);
        parts_->solver.factorize(parts_->matrix);
        RIVULET_VERIFY(parts_->solver.info() == Eigen::Success);
        Eigen::Map<Eigen::VectorXd> right(b, n);
        right = parts_->solver.solve(right).eval();
    }
}

} // namespace rivulet
