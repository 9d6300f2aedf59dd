#pragma once

#include "strands/strand_compliance.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Strands and the springs between them. Conjugate gradients in the unknowns of the strands, for each cluster that
/// springs hold together by itself: what one needs stays in the cache, and it ends when it is solved.
class StrandCompliance::Springs final : public SpringBodies {
public:
    explicit Springs(StrandCompliance& strands);
    /// Factors the strands with their springs. `normal` and `stiffness` must stay where they are.
    void factor(std::span<const Vec3> normal, std::span<const double> stiffness);
    CompliantSolution solve(std::span<const double> b, const CompliantOptions& options, std::span<double> force,
                            std::span<double> motion) override;
    void go(double part) override;
    /// What was found last, of batch number i.
    [[nodiscard]] std::span<const Lane> found(std::size_t i) const
    {
        return std::span<const Lane>(found_).subspan(first_[i], first_[i + 1] - first_[i]);
    }

private:
    /// One side of a spring, as it is read twice an iteration: with k the root of its stiffness, +-k times the normal
    /// and the place on the edge.
    struct End {
        Lane law{};               ///< x y z of the first, then the second
        std::int32_t vertex = 0;  ///< of the strand, at which the edge begins
        std::int32_t across = -1; ///< the other side; -1 = none
    };
    struct Cluster {
        std::vector<std::int32_t> batches; ///< as numbers of StrandCompliance::batches()
        int iterations = 1;
        double initial = 0, residual = 0; ///< squared [J]
        double goal = 0;                  ///< of the latter
    };

    void find_clusters();
    void factor_batch(std::size_t i);
    void place_ends(std::size_t i);
    void begin(std::size_t i, std::span<const double> b);
    void iterate(Cluster& cluster, int max_iterations);
    /// Motion of the ends of batch i with the direction.
    void move_ends(std::size_t i);
    /// product <- (A + J^T K J) direction, and its inner product with the direction.
    [[nodiscard]] double multiply(std::size_t i);
    /// answer <- B^-1 residual; their inner product.
    [[nodiscard]] double precondition(std::size_t i);
    void take_found(std::span<const double> b, std::span<double> force, std::span<double> motion);
    template <class Value>
    double sum(const Cluster& cluster, Value&& value);
    /// Calls body(first end, last end, lane) for the strands of batch i that have ends.
    template <class Body>
    void for_strands(std::size_t i, Body&& body) const;
    [[nodiscard]] std::span<Lane> of(AlignedVector<Lane>& all, std::size_t i) const
    {
        return std::span<Lane>(all).subspan(first_[i], first_[i + 1] - first_[i]);
    }

    StrandCompliance& strands_;
    std::span<const Vec3> normal_;
    std::span<const double> stiffness_;
    std::vector<RodMatrix> factors_; ///< of batches(), B
    std::vector<std::size_t> first_; ///< unknown of each batch, and one past the last
    std::vector<Cluster> clusters_;
    std::vector<End> ends_;       ///< as the sides of the strands
    std::vector<double> motion_;  ///< of the ends, times k
    std::vector<double> part_;    ///< of a sum, for each batch
    AlignedVector<Lane> free_;    ///< of unknowns: 0 where held
    AlignedVector<Lane> lacking_; ///< of balance where bodies have gone to; empty: nothing
    AlignedVector<Lane> found_, residual_, answer_, direction_, held_product_, product_;
};

} // namespace rivulet
