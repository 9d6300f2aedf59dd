#pragma once

#include "base/assert.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace rivulet {

/// Owns the one thread pool of the program; alive for as long as parallel loops run. 0 = all cores.
class ThreadPool {
public:
    explicit ThreadPool(int n_threads);

    [[nodiscard]] int n_threads() const noexcept { return n_threads_; }
    /// Runs body() in an arena of its own, so that more threads than cores are really used when asked for.
    template <class Body>
    auto run(Body&& body) const
    {
        oneapi::tbb::task_arena arena(n_threads_);
        return arena.execute(body);
    }

private:
    int n_threads_;
    oneapi::tbb::global_control limit_;
};

/// body(n_threads) on a pool of that many threads.
template <class Body>
auto with_threads(int n_threads, Body&& body)
{
    const ThreadPool pool(n_threads);
    return pool.run([&] { return body(pool.n_threads()); });
}

/// A loop over part of the indices of a parallel_for(). `body` is the address of a pointer to what it calls.
using ChunkLoop = void (*)(const void* body, std::int64_t begin, std::int64_t end);
/// Calls loop(body, begin, end) for chunks of [0, n) that follow from n and `grain` alone.
void run_chunks(std::int64_t n, std::int64_t grain, const char* name, const void* body, ChunkLoop loop);

/// Calls body(i) for i in [0, n). Each iteration writes only what belongs to i, so the result cannot depend on the
/// number of threads. `name` says where an invariant broke; `grain` is the smallest number of iterations worth a task.
///
/// The compiler may round a b + c once or twice, as it likes better, and need not do so alike in two copies of a loop,
/// nor in the vectors of a loop and in what is left over at its end. So there is one copy of the loop, called through a
/// pointer from another file, and an index is always at the same place of the same chunk.
template <class Body>
void parallel_for(std::int64_t n, const char* name, Body&& body, std::int64_t grain = 1)
{
    using Called = std::remove_reference_t<Body>;
    Called* const called = &body;
    run_chunks(n, grain, name, &called, [](const void* at, std::int64_t begin, std::int64_t end) {
        Called& call = **static_cast<Called* const*>(at);
        for (std::int64_t i = begin; i != end; ++i) call(i);
    });
}

/// Fixed chunk length of ordered sums: part of the definition of the result, never a tuning knob.
inline constexpr std::int64_t kOrderedChunk = 4096;

/// Reduces chunk results in chunk order: chunk_value(begin, end) for every fixed chunk of [0, n), folded left to right
/// by combine. The same bits on any number of threads.
template <class T, class ChunkValue, class Combine>
[[nodiscard]] T ordered_reduce(std::int64_t n, const char* name, T initial, ChunkValue&& chunk_value, Combine&& combine,
                               std::int64_t chunk = kOrderedChunk)
{
    const std::int64_t n_chunks = (n + chunk - 1) / chunk;
    std::vector<T> partial(static_cast<std::size_t>(n_chunks), initial);
    parallel_for(n_chunks, name, [&](std::int64_t c) {
        const std::int64_t begin = c * chunk;
        const std::int64_t end = begin + chunk < n ? begin + chunk : n;
        partial[static_cast<std::size_t>(c)] = chunk_value(begin, end);
    });
    T total = initial;
    for (const T& value : partial) total = combine(total, value);
    return total;
}

/// Sum of term(i) over [0, n), chunk by chunk in order.
template <class Term>
[[nodiscard]] double ordered_sum(std::int64_t n, const char* name, Term&& term)
{
    return ordered_reduce(
        n, name, 0.0,
        [&](std::int64_t begin, std::int64_t end) {
            double sum = 0;
            for (std::int64_t i = begin; i < end; ++i) sum += term(i);
            return sum;
        },
        [](double a, double b) { return a + b; });
}

/// Runs body(item) for the items of one colour after the other: items of one colour must not touch the same data.
/// `items_by_colour[c]` lists the items of colour c; the order within a colour does not matter, that of colours does.
/// `grain` as in parallel_for.
template <class Items, class Body>
void coloured_for(const Items& items_by_colour, const char* name, Body&& body, std::int64_t grain = 1)
{
    for (const auto& items : items_by_colour)
        parallel_for(
            static_cast<std::int64_t>(items.size()), name,
            [&](std::int64_t i) { body(items[static_cast<std::size_t>(i)]); }, grain);
}

} // namespace rivulet
