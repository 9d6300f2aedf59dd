#include "base/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <string>

namespace rivulet {
namespace {

/// Enough for any number of threads to share evenly. Part of the definition of results, as kOrderedChunk.
constexpr std::int64_t kMostChunks = 1024;

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
        oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::int64_t>(0, (n + chunk - 1) / chunk),
                                  [&](const oneapi::tbb::blocked_range<std::int64_t>& chunks) {
                                      for (std::int64_t c = chunks.begin(); c != chunks.end(); ++c)
                                          loop(body, c * chunk, std::min(n, (c + 1) * chunk));
                                  });
    } catch (const InternalError& error) {
        throw InternalError(std::string(error.what()) + ", in the loop '" + name + "'");
    }
}

} // namespace rivulet
