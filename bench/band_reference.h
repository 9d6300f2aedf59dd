#pragma once

#include <memory>
#include <vector>

namespace rivulet {

/// Symmetric positive definite band matrices as LAPACK keeps them, by columns: entry d of column j is A(j + d, j),
/// 0 <= d <= half_bandwidth; all of one size, one after the other.
struct BandMatrices {
    int n = 0; ///< rows of each
    int half_bandwidth = 0;
    std::vector<double> entries;

    [[nodiscard]] int column() const { return half_bandwidth + 1; }
    [[nodiscard]] int entries_of_one() const { return n * column(); }
    [[nodiscard]] double& at(int matrix, int i, int j)
    {
        return entries[static_cast<std::size_t>(matrix * entries_of_one() + j * column() + i - j)];
    }
};

/// Whether dpbtrf and dpbtrs were there when this was compiled.
[[nodiscard]] bool has_lapack();
/// x <- A^-1 x of one matrix after the other, x being their right-hand sides; by LAPACK's dpbtrf and dpbtrs.
void solve_by_lapack(const BandMatrices& matrices, std::vector<double>& x);

/// The same by Eigen's SimplicialLDLT, which finds the pattern of the factors once for all.
class SparseReference {
public:
    explicit SparseReference(const BandMatrices& matrices);
    ~SparseReference();
    void solve(const BandMatrices& matrices, std::vector<double>& x);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace rivulet
