#include "wetting/film_transport.h"

#include "base/assert.h"

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

} // namespace rivulet
