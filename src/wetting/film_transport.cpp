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

void FilmTransport::sharpen(const FilmCarrier& carrier, double dt, std::span<const double> volume_before,
                            std::span<const double> volume, std::span<double> passed)
{
    const std::size_t n_edges = carrier.velocity.size();
    extra_.resize(n_edges);
    part_.resize(n_edges);
    double due = 0, ahead = 0, back = 0; // times lengths: how far liquid goes [m^4]
    for (std::size_t e = 0; e < n_edges; ++e) {
        const double l = carrier.edge_length[e], way = carrier.velocity[e] * dt;
        const double a = volume[e] / carrier.vertex_length[e], b = volume[e + 1] / carrier.vertex_length[e + 1];
        const double missing = 0.5 * way * (a + b) - passed[e];
        extra_[e] = missing + 0.5 * way * way / l * (b - a);
        due += missing * l;
    }
    limit(carrier, volume_before, volume);
    for (std::size_t e = 0; e < n_edges; ++e) (extra_[e] > 0 ? ahead : back) += extra_[e] * carrier.edge_length[e];
    const double over = ahead + back - due;
    const double keep_ahead = over > 0 && ahead > 0 ? std::max(1 - over / ahead, 0.0) : 1;
    const double keep_back = over < 0 && back < 0 ? std::max(1 - over / back, 0.0) : 1;
    for (std::size_t e = 0; e < n_edges; ++e) {
        extra_[e] *= extra_[e] > 0 ? keep_ahead : keep_back;
        const double from = extra_[e] > 0 ? volume[e] : volume[e + 1];
        part_[e] = extra_[e] != 0 ? extra_[e] / from : 0;
        passed[e] += extra_[e];
    }
}

void FilmTransport::limit(const FilmCarrier& carrier, std::span<const double> volume_before,
                          std::span<const double> volume)
{
    constexpr double kMostTaken = 0.9; // so that what is left has all its digits
    const std::size_t n = volume.size();
    may_come_.resize(n);
    may_go_.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
        const double l = carrier.vertex_length[j];
        double high = volume[j] / l, low = high;
        for (std::size_t k = j > 0 ? j - 1 : 0; k <= std::min(j + 1, n - 1); ++k) {
            const double before = volume_before[k] / carrier.vertex_length[k];
            const double after = volume[k] / carrier.vertex_length[k];
            high = std::max({high, before, after});
            low = std::min({low, before, after});
        }
        const double left = j > 0 ? extra_[j - 1] : 0, right = j + 1 < n ? extra_[j] : 0;
        const double in = std::max(left, 0.0) - std::min(right, 0.0);
        const double out = std::max(right, 0.0) - std::min(left, 0.0);
        may_come_[j] = in > 0 ? std::min((high * l - volume[j]) / in, 1.0) : 1;
        may_go_[j] = out > 0 ? std::min(std::min(volume[j] - low * l, kMostTaken * volume[j]) / out, 1.0) : 1;
    }
    for (std::size_t e = 0; e + 1 < n; ++e) {
        const std::size_t from = extra_[e] > 0 ? e : e + 1, to = extra_[e] > 0 ? e + 1 : e;
        extra_[e] *= std::max(std::min(may_go_[from], may_come_[to]), 0.0);
    }
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
