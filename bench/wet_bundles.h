#pragma once

#include "strands/rod_system.h"
#include "strands/strand_contacts.h"
#include "strands/strands.h"

#include <span>
#include <vector>

namespace rivulet {

/// The linear system of a step of wet hair in bundles, (A + J^T K J) x = J^T b: A is that of the strands without each
/// other, in blocks of four strands, K the stiffness of the penalty curve and of the liquid bridges between them
/// [Fei 2017, section 4]. 64 hairs of 42 vertices a bundle, roots clamped, 4.7 cm long, a film of 22 um, steps of 1 ms.
class WetBundles {
public:
    static constexpr int kHairs = 64; ///< of a bundle
    static constexpr int kVertices = 42;

    explicit WetBundles(int n_bundles);

    [[nodiscard]] std::size_t n_unknowns() const { return 4 * static_cast<std::size_t>(model.n_vertices()); }
    /// y = (A + J^T K J) x. Unknowns are those of the vertices in turn, x y z and the spin of the edge after it; that
    /// of a last vertex is idle.
    void multiply(std::span<const double> x, std::span<double> y) const;
    [[nodiscard]] std::vector<double> diagonal() const;
    /// J^T b.
    [[nodiscard]] std::vector<double> right_side() const;
    /// J^T f.
    void add_forces(std::span<const double> force, std::span<double> x) const;
    /// A^-1 x, of the factored strands, in place.
    void solve_strands(std::span<double> x) const;
    /// Factors every strand anew, as a step does.
    void factor();
    /// entry(i, j, a) for every entry of A + J^T K J with j <= i; entries may come in parts.
    template <class Entry>
    void for_entries(Entry&& entry) const
    {
        for_strand_entries(entry);
        for (std::size_t c = 0; c < contacts.size(); ++c) {
            const Row r = row(c);
            for (std::size_t p = 0; p < r.unknown.size(); ++p)
                for (std::size_t q = 0; q < r.unknown.size(); ++q)
                    if (r.unknown[q] <= r.unknown[p])
                        entry(r.unknown[p], r.unknown[q], stiffness[c] * r.weight[p] * r.weight[q]);
        }
    }

    StrandModel model;
    StrandState state;
    std::vector<Hold> hold;
    std::vector<RodMatrix> factors;
    std::vector<StrandContact> contacts;
    std::vector<Vec3> normal;
    std::vector<double> stiffness, b; ///< [N/m], [N]

private:
    /// One of J.
    struct Row {
        std::array<std::size_t, 12> unknown{};
        std::array<double, 12> weight{};
    };
    [[nodiscard]] Row row(std::size_t contact) const;
    /// First unknown of a lane of a batch.
    [[nodiscard]] std::size_t first_unknown(std::size_t batch, std::size_t lane) const;

    template <class Entry>
    void for_strand_entries(Entry&& entry) const
    {
        for (std::size_t k = 0; k < matrices_.size(); ++k)
            for (std::size_t lane = 0; lane < kStrandLanes; ++lane) {
                const std::size_t first = first_unknown(k, lane);
                for (int i = 0; i < matrices_[k].size(); ++i)
                    for (int j = std::max(0, i - kRodBandwidth); j <= i; ++j)
                        entry(first + static_cast<std::size_t>(i), first + static_cast<std::size_t>(j),
                              matrices_[k].at(i, j)[lane]);
                const std::size_t idle = first + static_cast<std::size_t>(matrices_[k].size());
                entry(idle, idle, 1.0);
            }
    }

    void add_bundle(const Vec3& place, std::uint64_t seed);
    void move_freely();
    void find_springs();
    void keep_matrices();

    StrandUpdate update_;
    std::vector<RodMatrix> matrices_; ///< before they are factored
};

} // namespace rivulet
