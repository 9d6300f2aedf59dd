#pragma once

#include "base/error.h"
#include "base/parallel.h"

#include <oneapi/tbb/task_arena.h>

namespace rivulet {

/// Runs body(n_threads) with the one thread pool of the program. An arena of its own, so that more threads than cores
/// are really used when asked for. 0 = all cores.
template <class Body>
auto with_threads(int n_threads, Body&& body)
{
    if (n_threads < 0 || n_threads > 4096) throw InputError("--threads: 0 (all cores) to 4096");
    const ThreadPool pool(n_threads);
    oneapi::tbb::task_arena arena(pool.n_threads());
    return arena.execute([&] { return body(pool.n_threads()); });
}

} // namespace rivulet
