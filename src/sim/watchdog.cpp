#include "sim/watchdog.h"

#include "base/error.h"
#include "base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

constexpr std::int64_t kBlock = 256; // divides the size of a tile
constexpr std::int64_t kBlocksATask = 128;
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

/// Smallest index for which is_bad(i), or kNone. The same answer on any number of threads.
template <class IsBad>
std::int64_t first_bad(std::int64_t n, IsBad&& is_bad, std::int64_t chunk = kOrderedChunk)
{
    return ordered_reduce(
        n, "watchdog", kNone,
        [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                if (is_bad(i)) return i;
            return kNone;
        },
        [](std::int64_t a, std::int64_t b) { return a < b ? a : b; }, chunk);
}

/// Whether n values are all finite. Only where all bits of an exponent are set does one more carry into the sign; the
/// compiler looks at several values at once.
template <class Bits, class Real>
bool are_finite(const Real* values, std::int64_t n)
{
    constexpr auto kExponent = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
    constexpr Bits kLowestBit = kExponent & (~kExponent + 1);
    Bits carried = 0;
    for (std::int64_t i = 0; i < n; ++i) carried |= (std::bit_cast<Bits>(values[i]) & kExponent) + kLowestBit;
    return carried >> (8 * sizeof(Bits) - 1) == 0;
}

/// Whether no |value| is above the limit, nor NaN.
bool is_slower(const double* values, std::int64_t n, double limit)
{
    std::int64_t beyond = 0; // as wide as the values, so that the compiler compares several at once
    for (std::int64_t i = 0; i < n; ++i) beyond |= std::abs(values[i]) <= limit ? 0 : -1;
    return beyond == 0;
}

template <class Bits, class Real>
void check_finite_as(const ArrayView& array, const std::string& stage)
{
    const auto* values = reinterpret_cast<const Real*>(array.data);
    const std::int64_t n = array.count * array.components;
    const std::int64_t block = first_bad(
        (n + kBlock - 1) / kBlock,
        [&](std::int64_t b) { return !are_finite<Bits>(values + b * kBlock, std::min(kBlock, n - b * kBlock)); },
        kBlocksATask);
    if (block == kNone) return;
    std::int64_t bad = block * kBlock;
    while (std::isfinite(values[bad])) ++bad;
    throw SimulationError(stage, std::string(array.name), bad / array.components,
                          fmt::format("component {} is {}", bad % array.components, values[bad]));
}

void check_finite(const ArrayView& array, const std::string& stage)
{
    if (array.scalar == Scalar::Float64) check_finite_as<std::uint64_t, double>(array, stage);
    if (array.scalar == Scalar::Float32) check_finite_as<std::uint32_t, float>(array, stage);
}

void check_lengths(const State& state, const std::string& stage)
{
    for (const ArrayView& array : state_arrays(state))
        if (array.name.starts_with("liquid.") && array.count != state.liquid.size())
            throw SimulationError(stage, std::string(array.name), -1,
                                  fmt::format("{} entries for {} particles", array.count, state.liquid.size()));
}

void check_films(const Model& model, const State& state, const std::string& stage)
{
    const auto is_wet = [](std::string_view name) {
        return name.starts_with("film.") || name.starts_with("immersion.");
    };
    for (const ArrayView& array : state_arrays(state))
        if (array.is_array && is_wet(array.name) && array.count != film_entries(model, array.name))
            throw SimulationError(
                stage, std::string(array.name), -1,
                fmt::format("{} entries, {} belong there", array.count, film_entries(model, array.name)));
    const auto check_sign = [&](const std::vector<double>& volume, const char* name) {
        const std::int64_t bad = first_bad(static_cast<std::int64_t>(volume.size()),
                                           [&](std::int64_t i) { return !(volume[static_cast<std::size_t>(i)] >= 0); });
        if (bad != kNone) throw SimulationError(stage, name, bad, "is negative");
    };
    check_sign(state.film.volume, "film.volume");
    check_sign(state.film.mesh_volume, "film.mesh_volume");
    check_sign(state.film.pool, "film.pool");
}

void check_strands(const Model& model, const State& state, const std::string& stage)
{
    for (const ArrayView& array : state_arrays(state))
        if (array.name.starts_with("strands.") && array.count != model.strands.n_vertices())
            throw SimulationError(stage, std::string(array.name), -1,
                                  fmt::format("{} entries for {} vertices", array.count, model.strands.n_vertices()));
    constexpr double kRoundingOfDirections = 1e-9;
    const std::int64_t bad = first_bad(state.strands.size(), [&](std::int64_t i) {
        const auto v = static_cast<std::size_t>(i);
        return model.strands.rest_length[v] > 0 &&
               !(std::abs(state.strands.director[v].norm() - 1) < kRoundingOfDirections);
    });
    if (bad != kNone) throw SimulationError(stage, "strands.director", bad, "is not a direction");
}

/// What the step relies on of one particle; the array that breaks it, or nullptr.
const char* broken_array(const Model& model, const State& state, const Aabb& room, std::size_t p)
{
    const LiquidParticles& l = state.liquid;
    if (!(l.volume[p] > 0)) return "liquid.volume";
    if (l.liquid[p] < 0 || l.liquid[p] >= static_cast<std::int32_t>(model.liquids.size())) return "liquid.liquid";
    if (l.id[p] < 0 || l.id[p] >= state.next_id) return "liquid.id";
    if (!room.contains(l.position[p])) return "liquid.position";
    return nullptr;
}

/// Whether no coordinate of n points is outside of a box, nor NaN: four points at once, which fill whole vectors.
bool are_inside(const Vec3* points, std::int64_t n, const Aabb& box)
{
    constexpr std::int64_t kFour = 12;
    std::array<double, kFour> lower, upper;
    for (std::size_t i = 0; i < kFour; ++i) {
        lower[i] = box.lower[static_cast<int>(i % 3)];
        upper[i] = box.upper[static_cast<int>(i % 3)];
    }
    const double* x = points->data();
    std::array<std::int64_t, kFour> outside{};
    std::int64_t i = 0;
    for (; i + kFour <= 3 * n; i += kFour)
        for (std::size_t c = 0; c < kFour; ++c)
            outside[c] |=
                x[static_cast<std::size_t>(i) + c] >= lower[c] && x[static_cast<std::size_t>(i) + c] <= upper[c] ? 0
                                                                                                                 : -1;
    for (; i < 3 * n; ++i)
        outside[0] |=
            x[i] >= lower[static_cast<std::size_t>(i % 3)] && x[i] <= upper[static_cast<std::size_t>(i % 3)] ? 0 : -1;
    return std::all_of(outside.begin(), outside.end(), [](std::int64_t o) { return o == 0; });
}

/// Whether broken_array finds nothing in a block of particles, and no volume or position is NaN or Inf: one array after
/// the other, several entries at once.
bool is_block_sound(const Model& model, const State& state, const Aabb& room, std::int64_t begin, std::int64_t end)
{
    const LiquidParticles& l = state.liquid;
    const auto n_liquids = static_cast<std::uint32_t>(model.liquids.size());
    const auto n_ids = static_cast<std::uint64_t>(state.next_id);
    const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
    std::int64_t broken = 0;
    for (std::size_t p = first; p < last; ++p)
        broken |= l.volume[p] > 0 && l.volume[p] <= std::numeric_limits<double>::max() ? 0 : -1;
    for (std::size_t p = first; p < last; ++p) broken |= static_cast<std::uint64_t>(l.id[p]) < n_ids ? 0 : -1;
    std::uint32_t highest = 0;
    for (std::size_t p = first; p < last; ++p) highest = std::max(highest, static_cast<std::uint32_t>(l.liquid[p]));
    return broken == 0 && highest < n_liquids && are_inside(&l.position[first], end - begin, room);
}

/// Whether is_block_sound sees NaN and Inf in this array.
bool is_seen_with_particles(std::string_view array) { return array == "liquid.volume" || array == "liquid.position"; }

void check_particles(const Model& model, const State& state, const std::string& stage)
{
    const Aabb room = model.domain.box.dilated(8 * model.options.cell_size);
    const std::int64_t n = state.liquid.size();
    const std::int64_t block = first_bad(
        (n + kBlock - 1) / kBlock,
        [&](std::int64_t b) { return !is_block_sound(model, state, room, b * kBlock, std::min(n, (b + 1) * kBlock)); },
        kBlocksATask);
    if (block == kNone) return;
    for (const ArrayView& array : state_arrays(state))
        if (is_seen_with_particles(array.name)) check_finite(array, stage);
    std::int64_t bad = block * kBlock;
    while (broken_array(model, state, room, static_cast<std::size_t>(bad)) == nullptr) ++bad;
    throw SimulationError(stage, broken_array(model, state, room, static_cast<std::size_t>(bad)), bad,
                          "is not positive, does not exist, was never given out, or is far outside of the domain");
}

/// Throws unless all values on the faces are finite and no larger than `limit`.
void check_faces(const std::array<std::vector<double>, 3>& field, double limit, const char* name, const char* unit,
                 const std::string& stage)
{
    for (std::size_t a = 0; a < 3; ++a) {
        const double* u = field[a].data();
        const std::int64_t block = first_bad(
            static_cast<std::int64_t>(field[a].size()) / kBlock,
            [&](std::int64_t b) { return !is_slower(u + b * kBlock, kBlock, limit); }, kBlocksATask);
        if (block == kNone) continue;
        std::int64_t bad = block * kBlock;
        while (std::abs(u[bad]) <= limit) ++bad;
        throw SimulationError(stage, std::string(name) + "xyz"[a], bad,
                              fmt::format("{} {}, more than {} {}", u[bad], unit, limit, unit));
    }
}

} // namespace

void check_begin(const State& state, const std::string& stage)
{
    for (const ArrayView& array : state_arrays(state))
        if (!array.name.starts_with("liquid.")) check_finite(array, stage);
}

void check_transferred(const FaceFields& faces, const std::string& stage)
{
    if (faces.is_finite) return; // the transfer has looked; what follows names the face
    check_velocity(faces.velocity, std::numeric_limits<double>::max(), stage);
    check_faces(faces.mass, std::numeric_limits<double>::max(), "grid mass ", "kg", stage);
}

void check_state(const Model& model, const State& state, const std::string& stage)
{
    check_lengths(state, stage);
    for (const ArrayView& array : state_arrays(state))
        if (!is_seen_with_particles(array.name)) check_finite(array, stage);
    check_particles(model, state, stage);
    check_strands(model, state, stage);
    check_films(model, state, stage);
}

void check_velocity(const std::array<std::vector<double>, 3>& velocity, double limit, const std::string& stage)
{
    check_faces(velocity, limit, "grid velocity ", "m/s", stage);
}

} // namespace rivulet
