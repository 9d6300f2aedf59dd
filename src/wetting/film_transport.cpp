#include "wetting/film_transport.h"

#include "base/assert.h"

#include <algorithm>

namespace rivulet {

void FilmTransport::factor(std::span<const double> right, std::span<const double> left)
{
    const std::size_t n = right.size();
    RIVULET_ASSERT(n > 0 && left.size() == n && left[0] == 0);
    forward_.resize(n);
    inverse_pivot_.resize(n);
    left_.assign(left.begin(), left.end());
    for (std::size_t j = 0; j < n; ++j) {
        RIVULET_ASSERT(j == 0 || right[j - 1] == 0 || left[j] == 0);
        forward_[j] = j > 0 ? right[j - 1] * inverse_pivot_[j - 1] : 0;
        inverse_pivot_[j] = 1 / (1 + right[j] + left[j]);
    }
}

void FilmTransport::move(std::span<double> volume, std::span<const double> vertex_length, std::span<double> right,
                         std::span<const double> left)
{
    factor(right, left);
    apply(volume);
    const std::size_t tip = volume.size() - 1;
    if (!(right[tip] > 0)) return; // nothing goes back from the tip then: what the others have does not depend on it
    const double level = volume[tip - 1] / vertex_length[tip - 1] * vertex_length[tip];
    if (!(volume[tip] < level)) return;
    const double filled = volume[tip] * (1 + right[tip]);
    right[tip] = std::max(filled / level - 1, 0.0);
    volume[tip] = filled / (1 + right[tip]);
    factor(right, left);
}

void set_film_rates(const FilmCarrier& carrier, double dt, bool has_open_tip, std::span<double> right,
                    std::span<double> left)
{
    const auto& [velocity, edge_length, vertex_length] = carrier;
    const std::size_t last = velocity.size();
    for (std::size_t j = 0; j <= last; ++j) {
        double outward = j < last ? velocity[j] : has_open_tip ? velocity[last - 1] : 0;
        double inward = j > 0 ? -velocity[j - 1] : 0;
        if (j > 0 && j < last && velocity[j - 1] * velocity[j] > 0) {
            const double mean =
                0.5 * (edge_length[j - 1] * velocity[j - 1] + edge_length[j] * velocity[j]) / vertex_length[j];
            outward = mean;
            inward = -mean;
        }
        right[j] = dt * std::max(outward, 0.0) / vertex_length[j];
        left[j] = dt * std::max(inward, 0.0) / vertex_length[j];
    }
}

} // namespace rivulet
