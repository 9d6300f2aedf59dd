#pragma once

#include "numerics/aligned.h"

#include <cstddef>

namespace rivulet {

/// Symmetric band matrices, factored in place as L D L^T without pivoting. T is a number or a vector of numbers, one
/// system a lane: lanes never mix, so a system has the same bits in any lane and beside any others.
///
/// Row i holds the lower band, entry d = A(i, i - W + d) with the diagonal at d = W; W rows of padding above the first
/// row let the loops have fixed lengths, which the compiler unrolls into registers.
template <class T, int W>
class BandLdlt {
public:
    static constexpr int kRow = W + 1;

    /// n rows of zeros.
    void reset(int n)
    {
        n_ = n;
        band_.assign(static_cast<std::size_t>((n + W) * kRow), T{});
        inverse_.assign(static_cast<std::size_t>(n + W), T{});
    }

    [[nodiscard]] int size() const noexcept { return n_; }
    /// A(i, j), i - W <= j <= i.
    [[nodiscard]] T& at(int i, int j) noexcept { return row(i)[W - i + j]; }
    [[nodiscard]] const T& at(int i, int j) const noexcept { return row(i)[W - i + j]; }

    /// Replaces the matrix by its factors. Returns the smallest pivot, lane by lane: the matrix is positive definite
    /// where that is positive.
    [[nodiscard]] T factor()
    {
        T smallest{};
        for (int i = 0; i < n_; ++i) {
            T* a = row(i);
            const T* inverse = inverse_.data() + i; // of the pivots of rows i - W ... i - 1
            T scaled[W];                            // L(i, j) D(j)
            for (int j = 0; j < W; ++j) {
                const T* l = row(i - W + j); // L(i - W + j, i - W + k) is its entry W - j + k
                T s = a[j];
                for (int k = 0; k < j; ++k) s -= scaled[k] * l[W - j + k];
                scaled[j] = s;
            }
            T pivot = a[W];
            for (int j = 0; j < W; ++j) {
                a[j] = scaled[j] * inverse[j];
                pivot -= scaled[j] * a[j];
            }
            a[W] = pivot;
            inverse_[static_cast<std::size_t>(i + W)] = 1.0 / pivot;
            smallest = i == 0 ? pivot : pivot < smallest ? pivot : smallest;
        }
        return smallest;
    }

    /// b <- A^-1 b, of the factored matrix.
    void solve(T* b) const
    {
        for (int i = 0; i < n_; ++i) {
            const T* l = row(i);
            T s = b[i];
            for (int d = i < W ? W - i : 0; d < W; ++d) s -= l[d] * b[i - W + d];
            b[i] = s;
        }
        for (int i = 0; i < n_; ++i) b[i] *= inverse_[static_cast<std::size_t>(i + W)];
        for (int i = n_ - 1; i >= 0; --i) {
            const T* l = row(i);
            const T x = b[i];
            for (int d = i < W ? W - i : 0; d < W; ++d) b[i - W + d] -= l[d] * x;
        }
    }

    /// The band of A^-1, of the factored matrix: out.at(i, j) = A^-1(i, j), 0 <= i - j <= W [Takahashi 1973].
    void inverse_band(BandLdlt& out) const
    {
        out.reset(n_);
        for (int j = n_ - 1; j >= 0; --j) {
            const int reach = n_ - 1 - j < W ? n_ - 1 - j : W;
            T column[W]; // L(j + 1 + d, j)
            for (int d = 0; d < reach; ++d) column[d] = at(j + 1 + d, j);
            for (int d = reach - 1; d >= 0; --d) {
                const int i = j + 1 + d;
                T s{};
                for (int e = 0; e < reach; ++e) {
                    const int k = j + 1 + e;
                    s -= column[e] * (k > i ? out.at(k, i) : out.at(i, k));
                }
                out.at(i, j) = s;
            }
            T s = inverse_[static_cast<std::size_t>(j + W)];
            for (int d = 0; d < reach; ++d) s -= column[d] * out.at(j + 1 + d, j);
            out.at(j, j) = s;
        }
    }

private:
    [[nodiscard]] T* row(int i) noexcept { return band_.data() + static_cast<std::ptrdiff_t>((i + W) * kRow); }
    [[nodiscard]] const T* row(int i) const noexcept
    {
        return band_.data() + static_cast<std::ptrdiff_t>((i + W) * kRow);
    }

    int n_ = 0;
    AlignedVector<T> band_;
    AlignedVector<T> inverse_; ///< of the pivots
};

} // namespace rivulet
