#include "base/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace rivulet {
namespace {

/// Enough for any number of threads to share evenly. Part of the definition of results, as kOrderedChunk.
constexpr std::int64_t kMostChunks = 1024;
/// A thread takes so many times fewer than its share of the chunks that are left.
constexpr std::int64_t kParts = 4;

/// run(c) for all chunks c in [0, n): whoever is free takes the next few, the fewer the fewer are left, so that all
/// threads end together.
template <class Run>
void share_chunks(std::int64_t n, Run&& run)
{
    const auto threads = std::min<std::int64_t>(n, oneapi::tbb::this_task_arena::max_concurrency());
    if (threads == 1) {
        for (std::int64_t c = 0; c < n; ++c) run(c);
        return;
    }
    std::atomic<std::int64_t> next = 0;
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::int64_t>(0, threads, 1),
        [&](const oneapi::tbb::blocked_range<std::int64_t>&) {
            std::int64_t begin = next.load();
            while (begin < n) {
                const std::int64_t end = begin + std::max<std::int64_t>(1, (n - begin) / (kParts * threads));
                if (!next.compare_exchange_weak(begin, end)) continue;
                for (std::int64_t c = begin; c < end; ++c) run(c);
                begin = next.load();
            }
        },
        oneapi::tbb::simple_partitioner());
}

} // namespace

ThreadPool::ThreadPool(int n_threads)
    : n_threads_(n_threads > 0 ? n_threads : oneapi::tbb::info::default_concurrency()),
      limit_(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n_threads_))
{
}

void run_chunks(std::int64_t n, std::int64_t grain, const char* name, const void* body, ChunkLoop loop)
{
    if (n <= 0) return;
    const std::int64_t chunk = std::max(grain, (n + kMostChunks - 1) / kMostChunks);
    try {
        if (n <= chunk) return loop(body, 0, n);
        share_chunks((n + chunk - 1) / chunk,
                     [&](std::int64_t c) { loop(body, c * chunk, std::min(n, (c + 1) * chunk)); });
    } catch (const InternalError& error) {
        throw InternalError(std::string(error.what()) + ", in the loop '" + name + "'");
    }
}

} // namespace rivulet
