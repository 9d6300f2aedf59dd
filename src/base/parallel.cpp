#include "base/parallel.h"

#include <oneapi/tbb/info.h>

namespace rivulet {

ThreadPool::ThreadPool(int n_threads)
    : n_threads_(n_threads > 0 ? n_threads : oneapi::tbb::info::default_concurrency()),
      limit_(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n_threads_))
{
}

} // namespace rivulet
