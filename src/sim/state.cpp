#include "sim/state.h"

#include "base/hash.h"
#include "base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rivulet {
namespace {

template <class T>
struct EntryTraits;
template <>
struct EntryTraits<double> {
    static constexpr Scalar kScalar = Scalar::Float64;
    static constexpr int kComponents = 1;
};
template <>
struct EntryTraits<float> {
    static constexpr Scalar kScalar = Scalar::Float32;
    static constexpr int kComponents = 1;
};
template <>
struct EntryTraits<std::int64_t> {
    static constexpr Scalar kScalar = Scalar::Int64;
    static constexpr int kComponents = 1;
};
template <>
struct EntryTraits<std::int32_t> {
    static constexpr Scalar kScalar = Scalar::Int32;
    static constexpr int kComponents = 1;
};
template <>
struct EntryTraits<Vec3> {
    static constexpr Scalar kScalar = Scalar::Float64;
    static constexpr int kComponents = 3;
};
template <>
struct EntryTraits<Vec3f> {
    static constexpr Scalar kScalar = Scalar::Float32;
    static constexpr int kComponents = 3;
};
template <>
struct EntryTraits<Mat3> {
    static constexpr Scalar kScalar = Scalar::Float64;
    static constexpr int kComponents = 9; // column-major
};
template <>
struct EntryTraits<Account> {
    static constexpr Scalar kScalar = Scalar::Float64;
    static constexpr int kComponents = 2; // sum, carry
};

template <class T>
ArrayView view_of(const char* name, const char* unit, T& value)
{
    return {name,
            unit,
            EntryTraits<T>::kScalar,
            EntryTraits<T>::kComponents,
            1,
            reinterpret_cast<std::byte*>(&value),
            false,
            &value,
            sizeof(value)};
}

template <class T>
ArrayView view_of(const char* name, const char* unit, std::vector<T>& values)
{
    constexpr Scalar kScalar = EntryTraits<T>::kScalar;
    static_assert(sizeof(T) ==
                  EntryTraits<T>::kComponents * (kScalar == Scalar::Int32 || kScalar == Scalar::Float32 ? 4 : 8));
    return {name,
            unit,
            EntryTraits<T>::kScalar,
            EntryTraits<T>::kComponents,
            static_cast<std::int64_t>(values.size()),
            reinterpret_cast<std::byte*>(values.data()),
            true,
            &values,
            sizeof(values)};
}

template <class T>
bool resize(T&, std::int64_t)
{
    return false;
}
template <class T>
bool resize(std::vector<T>& values, std::int64_t count)
{
    values.resize(static_cast<std::size_t>(count));
    return true;
}

std::string entry_text(const ArrayView& a, std::int64_t flat)
{
    switch (a.scalar) {
    case Scalar::Float64:
        return fmt::format("{:.17g}", reinterpret_cast<const double*>(a.data)[flat]);
    case Scalar::Float32:
        return fmt::format("{:.9g}", reinterpret_cast<const float*>(a.data)[flat]);
    case Scalar::Int64:
        return fmt::format("{}", reinterpret_cast<const std::int64_t*>(a.data)[flat]);
    case Scalar::Int32:
        return fmt::format("{}", reinterpret_cast<const std::int32_t*>(a.data)[flat]);
    }
    return {};
}

LedgerBalance close(LedgerBalance b)
{
    const double expected = b.initial + b.emitted - b.drained - b.left;
    b.relative_error = std::abs(b.bulk + b.film + b.pool - expected) / std::max(b.initial + b.emitted, 1e-300);
    return b;
}

} // namespace

std::size_t scalar_size(Scalar scalar) noexcept { return scalar == Scalar::Int32 || scalar == Scalar::Float32 ? 4 : 8; }

std::vector<ArrayView> state_arrays(State& state)
{
    std::vector<ArrayView> arrays;
    visit_state(state, [&](const char* name, const char* unit, auto& member) {
        arrays.push_back(view_of(name, unit, member));
    });
    return arrays;
}

std::vector<ArrayView> state_arrays(const State& state)
{
    return state_arrays(const_cast<State&>(state)); // views of a const State are only read: see the callers below
}

bool resize_array(State& state, std::string_view name, std::int64_t count)
{
    bool done = false;
    visit_state(state, [&](const char* member_name, const char*, auto& member) {
        if (name == member_name) done = resize(member, count);
    });
    return done;
}

std::uint64_t state_hash(const State& state)
{
    Hasher hasher;
    for (const ArrayView& a : state_arrays(state)) {
        hasher.text(a.name);
        hasher.word(static_cast<std::uint64_t>(a.components));
        hasher.bytes({a.data, a.n_bytes()});
    }
    return hasher.value();
}

std::string first_difference(const State& a, const State& b)
{
    const auto arrays_a = state_arrays(a);
    const auto arrays_b = state_arrays(b);
    for (std::size_t i = 0; i < arrays_a.size(); ++i) {
        const ArrayView& x = arrays_a[i];
        const ArrayView& y = arrays_b[i];
        if (x.count != y.count) return fmt::format("{}: {} entries against {}", x.name, x.count, y.count);
        if (x.count == 0 || std::memcmp(x.data, y.data, x.n_bytes()) == 0) continue;
        const std::size_t size = scalar_size(x.scalar);
        for (std::int64_t flat = 0; flat < x.count * x.components; ++flat)
            if (std::memcmp(x.data + size * flat, y.data + size * flat, size) != 0)
                return fmt::format("{}[{}].{}: {} against {}", x.name, flat / x.components, flat % x.components,
                                   entry_text(x, flat), entry_text(y, flat));
    }
    return {};
}

LedgerBalance ledger_balance(const State& state, int liquid)
{
    const auto l = static_cast<std::size_t>(liquid);
    LedgerBalance b;
    b.initial = state.ledger.initial[l].total();
    b.emitted = state.ledger.emitted[l].total();
    b.drained = state.ledger.drained[l].total();
    b.left = state.ledger.left[l].total();
    b.merged = state.ledger.merged[l].total();
    b.split = state.ledger.split[l].total();
    b.caught = state.ledger.caught[l].total();
    b.shed = state.ledger.shed[l].total();
    b.n_merges = state.ledger.n_merges[l];
    b.n_splits = state.ledger.n_splits[l];
    b.bulk = ordered_sum(state.liquid.size(), "ledger", [&](std::int64_t i) {
        const auto p = static_cast<std::size_t>(i);
        return state.liquid.liquid[p] == liquid ? state.liquid.volume[p] : 0.0;
    });
    if (state.film.is_there() && state.film.liquid == liquid) {
        const auto sum = [](const std::vector<double>& v) {
            return ordered_sum(static_cast<std::int64_t>(v.size()), "ledger",
                               [&](std::int64_t i) { return v[static_cast<std::size_t>(i)]; });
        };
        b.film = sum(state.film.volume);
        b.pool = sum(state.film.pool);
    }
    return close(b);
}

LedgerBalance ledger_balance(const State& state)
{
    LedgerBalance sum;
    for (std::size_t l = 0; l < state.ledger.initial.size(); ++l) {
        const LedgerBalance b = ledger_balance(state, static_cast<int>(l));
        sum.initial += b.initial;
        sum.emitted += b.emitted;
        sum.drained += b.drained;
        sum.left += b.left;
        sum.bulk += b.bulk;
        sum.film += b.film;
        sum.pool += b.pool;
        sum.caught += b.caught;
        sum.shed += b.shed;
        sum.merged += b.merged;
        sum.split += b.split;
        sum.n_merges += b.n_merges;
        sum.n_splits += b.n_splits;
    }
    return close(sum);
}

} // namespace rivulet
