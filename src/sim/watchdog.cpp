#include "sim/watchdog.h"

#include "base/error.h"
#include "base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

/// Smallest index for which is_bad(i), or kNone. The same answer on any number of threads.
template <class IsBad>
std::int64_t first_bad(std::int64_t n, IsBad&& is_bad)
{
    return ordered_reduce(
        n, "watchdog", kNone,
        [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                if (is_bad(i)) return i;
            return kNone;
        },
        [](std::int64_t a, std::int64_t b) { return a < b ? a : b; });
}

/// True if none of the values is NaN or Inf; written so that the compiler checks several at once.
bool all_finite(const double* values, std::int64_t n)
{
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += 0 * values[i];
    return sum == 0;
}

void check_finite(const ArrayView& array, const std::string& stage)
{
    if (array.scalar != Scalar::Float64) return;
    const auto* values = reinterpret_cast<const double*>(array.data);
    constexpr std::int64_t kBlock = 256;
    const std::int64_t n = array.count * array.components;
    const std::int64_t block = first_bad((n + kBlock - 1) / kBlock, [&](std::int64_t b) {
        return !all_finite(values + b * kBlock, std::min(kBlock, n - b * kBlock));
    });
    if (block == kNone) return;
    std::int64_t bad = block * kBlock;
    while (std::isfinite(values[bad])) ++bad;
    throw SimulationError(stage, std::string(array.name), bad / array.components,
                          fmt::format("component {} is {}", bad % array.components, values[bad]));
}

void check_lengths(const State& state, const std::string& stage)
{
    for (const ArrayView& array : state_arrays(state))
        if (array.name.starts_with("liquid.") && array.count != state.liquid.size())
            throw SimulationError(stage, std::string(array.name), -1,
                                  fmt::format("{} entries for {} particles", array.count, state.liquid.size()));
}

void check_particles(const Model& model, const State& state, const std::string& stage)
{
    const auto n_liquids = static_cast<std::int32_t>(model.liquids.size());
    const std::int64_t n = state.liquid.size();
    const std::int64_t volume =
        first_bad(n, [&](std::int64_t i) { return !(state.liquid.volume[std::size_t(i)] > 0); });
    if (volume != kNone) throw SimulationError(stage, "liquid.volume", volume, "is not positive");
    const std::int64_t liquid = first_bad(n, [&](std::int64_t i) {
        const std::int32_t l = state.liquid.liquid[std::size_t(i)];
        return l < 0 || l >= n_liquids;
    });
    if (liquid != kNone) throw SimulationError(stage, "liquid.liquid", liquid, "no such liquid");
    const std::int64_t id = first_bad(n, [&](std::int64_t i) {
        const std::int64_t value = state.liquid.id[std::size_t(i)];
        return value < 0 || value >= state.next_id;
    });
    if (id != kNone) throw SimulationError(stage, "liquid.id", id, "was never given out");
    const Aabb room = model.domain.box.dilated(8 * model.options.cell_size);
    const std::int64_t position =
        first_bad(n, [&](std::int64_t i) { return !room.contains(state.liquid.position[std::size_t(i)]); });
    if (position != kNone) throw SimulationError(stage, "liquid.position", position, "is far outside of the domain");
}

} // namespace

void check_state(const Model& model, const State& state, const std::string& stage)
{
    check_lengths(state, stage);
    for (const ArrayView& array : state_arrays(state)) check_finite(array, stage);
    check_particles(model, state, stage);
}

void check_velocity(const std::array<std::vector<double>, 3>& velocity, double limit, const std::string& stage)
{
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t bad = first_bad(static_cast<std::int64_t>(velocity[a].size()), [&](std::int64_t i) {
            return !(std::abs(velocity[a][static_cast<std::size_t>(i)]) <= limit);
        });
        if (bad != kNone)
            throw SimulationError(
                stage, std::string("grid velocity ") + "xyz"[a], bad,
                fmt::format("{} m/s, more than {} m/s", velocity[a][static_cast<std::size_t>(bad)], limit));
    }
}

} // namespace rivulet
