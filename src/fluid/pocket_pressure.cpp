#include "fluid/pocket_pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rivulet {
namespace {

/// Cells whose centres are at one height, up to half a cell. Heights are told as potentials [m^2/s^2], downwards.
struct Layer {
    double density = 0; ///< sum over the cells [kg/m^3]
    double depth = 0;   ///< of their centres below the top of the layer, sum over the cells
    double n = 0;
};

struct Pocket {
    double top = std::numeric_limits<double>::infinity(); ///< of the highest layer
    double pressure = 0;                                  ///< sum over the cells [Pa]
    std::vector<Layer> layers;                            ///< from the top
};

/// Sum over the cells of the weight above them [Pa].
double weight_above(const std::vector<Layer>& layers, double height)
{
    double sum = 0, above = 0, density = 0;
    for (const Layer& layer : layers) {
        if (layer.n > 0) density = layer.density / layer.n; // else as above it
        sum += layer.n * above + density * layer.depth;
        above += density * height;
    }
    return sum;
}

} // namespace

void place_pockets(const PoissonSolver& solver, const PocketWeight& weight, std::span<double> pressure)
{
    std::vector<Pocket> pockets(static_cast<std::size_t>(solver.n_pockets()));
    if (pockets.empty()) return;
    const auto depth = [&](std::size_t cell) { return weight.gravity.dot(weight.grid.cell_centre(cell)); };
    const double height = weight.gravity.norm() * weight.grid.cell_size();
    // Cells that a solid takes whole may have a face that lies on its surface and so belong to a pocket: they tell
    // nothing.
    const auto for_open_cells = [&](auto&& visit) {
        solver.for_pocket_cells([&](std::size_t cell, std::size_t pocket) {
            if (weight.solids.open_volume[cell] > 0) visit(cell, pockets[pocket]);
        });
    };
    for_open_cells(
        [&](std::size_t cell, Pocket& pocket) { pocket.top = std::min(pocket.top, depth(cell) - 0.5 * height); });
    for_open_cells([&](std::size_t cell, Pocket& pocket) {
        const double below = depth(cell) - pocket.top;
        const auto at = height > 0 ? static_cast<std::size_t>(below / height) : 0;
        if (at >= pocket.layers.size()) pocket.layers.resize(at + 1);
        Layer& layer = pocket.layers[at];
        layer.density += weight.density.empty() ? weight.uniform_density : weight.density[cell];
        layer.depth += below - static_cast<double>(at) * height;
        layer.n += 1;
        pocket.pressure += pressure[cell];
    });
    std::vector<double> lacking;
    for (const Pocket& pocket : pockets) {
        double n = 0;
        for (const Layer& layer : pocket.layers) n += layer.n;
        lacking.push_back(n > 0 ? (weight_above(pocket.layers, height) - pocket.pressure) / n : 0);
    }
    solver.for_pocket_cells([&](std::size_t cell, std::size_t pocket) { pressure[cell] += lacking[pocket]; });
}

} // namespace rivulet
