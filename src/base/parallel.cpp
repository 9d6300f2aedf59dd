#include "base/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>

namespace rivulet {

struct ThreadPool::Control {
    oneapi::tbb::global_control limit;
};

ThreadPool::ThreadPool(int n_threads)
    : n_threads_(n_threads > 0 ? n_threads : oneapi::tbb::info::default_concurrency()),
      control_(new Control{oneapi::tbb::global_control(oneapi::tbb::global_control::max_allowed_parallelism,
                                                       static_cast<std::size_t>(n_threads_))})
{
}

ThreadPool::~ThreadPool() = default;

} // namespace rivulet
