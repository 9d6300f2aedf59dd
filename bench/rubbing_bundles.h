#pragma once

#include "bench.h"

namespace rivulet {

/// Processor time of a simulated second of the scene `bundle_rub_full`, while one bundle of hair is drawn across the
/// other, against what the published program needs for bundles of the same size. On one thread.
[[nodiscard]] std::vector<BenchFigure> bench_rubbing_bundles();

} // namespace rivulet
