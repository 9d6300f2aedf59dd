#pragma once

#include "numerics/aligned.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace rivulet {

/// Where a band matrix may have entries: rows come in blocks of kRows, and row r of a block begins kReach[r] columns to
/// the left of its block. A matrix without such blocks, of half bandwidth W:
template <int W>
struct FullBand {
    static constexpr int kRows = 1;
    static constexpr std::array<int, 1> kReach = {W};
};

/// Symmetric band matrices, factored in place as L D L^T without pivoting. T is a number or a vector of numbers, one
/// system a lane: lanes never mix, so a system has the same bits in any lane and beside any others.
///
/// Row i holds the lower band, entry d = A(i, i - W + d) with the diagonal at d = W; W rows of padding above the first
/// row let the loops have fixed lengths, which the compiler unrolls into registers. Rows of a block are worked on
/// together: each waits for its own sums, and what they have in common is loaded once.
template <class T, int W, class Pattern = FullBand<W>>
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
        int i = 0;
        if constexpr (kBlock > 1)
            for (; i + kBlock <= n_; i += kBlock) factor_block(row(i), inverse_.data() + W + i);
        for (; i < n_; ++i) factor_row(i);
        T smallest = n_ > 0 ? at(0, 0) : T{};
        for (i = 1; i < n_; ++i) smallest = at(i, i) < smallest ? at(i, i) : smallest;
        return smallest;
    }

    /// b <- A^-1 b, of the factored matrix.
    void solve(T* b) const
    {
        int i = 0;
        for (; i < n_ && i < kReach; ++i) forward_row(i, b);
        if constexpr (kBlock > 1)
            for (; i + kBlock <= n_; i += kBlock) forward_block(row(i), b + i);
        const int whole = i; // end of the whole blocks
        for (; i < n_; ++i) forward_row(i, b);
        for (i = 0; i < n_; ++i) b[i] *= inverse_[static_cast<std::size_t>(i + W)];
        for (i = n_ - 1; i >= whole; --i) backward_row(i, b);
        if constexpr (kBlock > 1)
            for (i = whole - kBlock; i >= kReach; i -= kBlock) backward_block(row(i), b + i);
        for (i = std::min(whole, kReach) - 1; i >= 0; --i) backward_row(i, b);
    }

    /// The matrix that was factored, multiplied out.
    void product(BandLdlt& out) const
    {
        out.reset(n_);
        for (int i = 0; i < n_; ++i)
            for (int k = i < W ? 0 : i - W; k <= i; ++k) {
                const T scaled = k == i ? at(i, i) : at(i, k) * at(k, k); // L(i, k) D(k)
                for (int j = k; j < i; ++j) out.at(i, j) += j == k ? scaled : scaled * at(j, k);
                out.at(i, i) += k == i ? scaled : scaled * at(i, k);
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
    static constexpr int kBlock = Pattern::kRows;
    static constexpr int kReach = *std::max_element(Pattern::kReach.begin(), Pattern::kReach.end());
    static_assert(kReach % kBlock == 0);

    /// Whether row r of a block may have an entry in the column that lies c places right of the first that any row of
    /// the block reaches.
    static constexpr bool reaches(int r, int c) { return kReach - c <= Pattern::kReach[static_cast<std::size_t>(r)]; }
    /// The first such column of a row; c counts it as a row from the same place on.
    static constexpr int first_column(int c)
    {
        return c / kBlock * kBlock - Pattern::kReach[static_cast<std::size_t>(c % kBlock)];
    }

    /// body(0) ... body(N - 1), with numbers known at compile time.
    template <int N, class Body>
    [[gnu::always_inline]] static void unrolled(Body&& body)
    {
        [&]<int... I>(std::integer_sequence<int, I...>) { (body(std::integral_constant<int, I>{}), ...); }
        (std::make_integer_sequence<int, N>{});
    }
    /// Of the block whose first row is `first`: row r, column c as in reaches().
    [[gnu::always_inline]] static const T& entry(const T* first, int r, int c) { return first[r * W + W + c - kReach]; }
    [[gnu::always_inline]] static T& entry(T* first, int r, int c) { return first[r * W + W + c - kReach]; }

    void factor_row(int i)
    {
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
    }

    /// The same for the rows of a block, all at once as far as the columns of blocks before it go.
    [[gnu::flatten]] static void factor_block(T* first, T* inverse)
    {
        T scaled[kBlock][kReach + kBlock];
        unrolled<kReach>([&](auto column) {
            constexpr int c = column;
            unrolled<kBlock>([&](auto r) {
                if constexpr (reaches(r, c)) scaled[r][c] = entry(first, r, c);
            });
            unrolled<c>([&](auto k) {
                if constexpr (k >= first_column(c)) {
                    const T l = entry(first, c - kReach, k);
                    unrolled<kBlock>([&](auto r) {
                        if constexpr (reaches(r, k)) scaled[r][c] -= scaled[r][k] * l;
                    });
                }
            });
        });
        unrolled<kBlock>([&](auto r) {
            unrolled<r>([&](auto q) {
                T s = entry(first, r, kReach + q);
                unrolled<kReach + q>([&](auto k) {
                    if constexpr (reaches(r, k) && reaches(q, k)) s -= scaled[r][k] * entry(first, q, k);
                });
                scaled[r][kReach + q] = s;
            });
            T pivot = entry(first, r, kReach + r);
            unrolled<kReach + r>([&](auto k) {
                if constexpr (reaches(r, k)) {
                    const T l = scaled[r][k] * inverse[k - kReach];
                    entry(first, r, k) = l;
                    pivot -= scaled[r][k] * l;
                }
            });
            entry(first, r, kReach + r) = pivot;
            inverse[r] = 1.0 / pivot;
        });
    }

    void forward_row(int i, T* b) const
    {
        const T* l = row(i);
        T s = b[i];
        for (int d = i < W ? W - i : 0; d < W; ++d) s -= l[d] * b[i - W + d];
        b[i] = s;
    }
    void backward_row(int i, T* b) const
    {
        const T* l = row(i);
        const T x = b[i];
        for (int d = i < W ? W - i : 0; d < W; ++d) b[i - W + d] -= l[d] * x;
    }

    [[gnu::flatten]] static void forward_block(const T* first, T* b)
    {
        T x[kBlock];
        unrolled<kBlock>([&](auto r) { x[r] = b[r]; });
        unrolled<kReach>([&](auto c) {
            const T known = b[c - kReach];
            unrolled<kBlock>([&](auto r) {
                if constexpr (reaches(r, c)) x[r] -= entry(first, r, c) * known;
            });
        });
        unrolled<kBlock>([&](auto r) {
            unrolled<r>([&](auto q) { x[r] -= entry(first, r, kReach + q) * x[q]; });
            b[r] = x[r];
        });
    }
    [[gnu::flatten]] static void backward_block(const T* first, T* b)
    {
        T x[kBlock];
        unrolled<kBlock>([&](auto s) {
            constexpr int r = kBlock - 1 - s;
            x[r] = b[r];
            unrolled<s>([&](auto p) {
                constexpr int q = kBlock - 1 - p;
                x[r] -= entry(first, q, kReach + r) * x[q];
            });
            b[r] = x[r];
        });
        unrolled<kReach>([&](auto c) {
            T left = b[c - kReach];
            unrolled<kBlock>([&](auto s) {
                constexpr int r = kBlock - 1 - s;
                if constexpr (reaches(r, c)) left -= entry(first, r, c) * x[r];
            });
            b[c - kReach] = left;
        });
    }

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
