#pragma once

#include <filesystem>
#include <vector>

namespace rivulet {

/// Draws what a run recorded to plots/*.svg: ledger accounts and residual, energies, step size, solver iterations,
/// stage times, and every probe. Returns the files written.
std::vector<std::filesystem::path> plot_run(const std::filesystem::path& run);

} // namespace rivulet
