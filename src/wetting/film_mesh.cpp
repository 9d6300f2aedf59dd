#include "wetting/film_mesh.h"

#include "base/assert.h"
#include "wetting/film_section.h"

#include <algorithm>

namespace rivulet {

void RefinedStrand::refine(const FilmStrands& strands, const FilmState& state, std::size_t s)
{
    const auto begin = static_cast<std::size_t>(strands.first[s]);
    const std::size_t n = static_cast<std::size_t>(strands.first[s + 1]) - begin;
    const auto parts = static_cast<std::size_t>(strands.parts);
    const std::size_t size = (n - 1) * parts + 1;
    RIVULET_ASSERT(parts % 2 == 1 && n >= 2);
    owner.resize(size);
    position.resize(size);
    scale.resize(strands.scale.empty() ? 0 : size);
    for (std::size_t j = 0; j < size; ++j) {
        const std::size_t e = std::min(j / parts, n - 2), past = j - e * parts;
        const double t = static_cast<double>(past) / static_cast<double>(parts);
        owner[j] = static_cast<std::int32_t>(2 * past < parts ? e : e + 1);
        const Vec3 &a = strands.position[begin + e], &b = strands.position[begin + e + 1];
        if (!scale.empty()) scale[j] = (1 - t) * strands.scale[begin + e] + t * strands.scale[begin + e + 1];
        position[j] = past == 0 ? a : past == parts ? b : Vec3(a + t * (b - a));
    }
    const auto hand_out = [&](auto from, auto& to) {
        to.clear();
        for (std::size_t j = 0; j < size && !from.empty(); ++j)
            to.push_back(from[begin + static_cast<std::size_t>(owner[j])]);
    };
    hand_out(strands.acceleration, acceleration);
    hand_out(strands.lift, lift);
    hand_out(strands.exposure, exposure);
    hand_out(strands.sliding, sliding);
    hand_out(state.velocity, velocity);
    owed.assign(state.owed.empty() ? 0 : size, Vec3::Zero());

    length.assign(size, 0.0);
    for (std::size_t e = 0; e + 1 < size; ++e) {
        const double half = 0.5 * (position[e + 1] - position[e]).norm();
        length[e] += half;
        length[e + 1] += half;
    }
    total_.assign(n, 0.0);
    slots_.assign(n, 0);
    for (std::size_t j = 0; j < size; ++j) {
        total_[static_cast<std::size_t>(owner[j])] += length[j];
        if (j + 1 < size) ++slots_[spinning(j, n)];
    }
    mass.resize(size);
    inertia.assign(size, 0.0);
    spin.assign(size, 0.0);
    for (std::size_t j = 0; j < size; ++j) {
        const auto v = static_cast<std::size_t>(owner[j]);
        if (!strands.strand_mass.empty()) mass[j] = strands.strand_mass[begin + v] * length[j] / total_[v];
        if (j + 1 == size) continue;
        const std::size_t e = spinning(j, n);
        if (!strands.strand_inertia.empty()) inertia[j] = strands.strand_inertia[begin + e] / slots_[e];
        if (!state.spin.empty()) spin[j] = state.spin[begin + e];
    }
}

void RefinedStrand::gather(const FilmStrands& strands, const FilmState& state, std::size_t s, double density,
                           double radius) const
{
    const auto begin = static_cast<std::size_t>(strands.first[s]);
    const std::size_t n = static_cast<std::size_t>(strands.first[s + 1]) - begin, size = owner.size();
    const std::size_t film = film_begin(strands, s);
    for (std::size_t j = 0; j < size;) {
        const std::int32_t v = owner[j];
        double weight = 0;
        Vec3 momentum = Vec3::Zero(), debt = Vec3::Zero();
        for (; j < size && owner[j] == v; ++j) {
            const double m = mass[j] + density * state.volume[film + j];
            weight += m;
            momentum += m * velocity[j];
            if (!owed.empty()) debt += owed[j];
        }
        const std::size_t to = begin + static_cast<std::size_t>(v);
        state.velocity[to] = momentum / weight;
        if (!owed.empty()) state.owed[to] += debt;
    }
    for (std::size_t j = 0; j + 1 < size;) {
        const std::size_t e = spinning(j, n);
        double weight = 0, momentum = 0;
        for (; j + 1 < size && spinning(j, n) == e; ++j) {
            const auto moment = [&](std::size_t i) {
                return density * length[i] *
                       film_polar_moment(state.volume[film + i] / length[i],
                                         scale.empty() ? radius : radius * scale[i]);
            };
            const double m = inertia[j] + moment(j) + (j + 2 == size ? moment(j + 1) : 0);
            weight += m;
            momentum += m * spin[j];
        }
        if (weight > 0) state.spin[begin + e] = momentum / weight;
    }
}

} // namespace rivulet
