#pragma once

#include "bench.h"

namespace rivulet {

/// Steps with contact and friction, on the threads there are: of a nodding head with a thousand and ten thousand
/// strands of 25 vertices (`full`: and a hundred thousand), and of a dense bundle of 500 that falls on a table; of both
/// the memory of a vertex, of bundles how the cost grows with their number, and two threads against one. Call it first:
/// free memory of the program's own would hide what these take.
[[nodiscard]] std::vector<BenchFigure> bench_strand_contact(bool full);

} // namespace rivulet
