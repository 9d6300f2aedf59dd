#include "fluid/pressure.h"

#include "base/parallel.h"
#include "fluid/cell_neighbours.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rivulet {
namespace {

/// A face of a cell: its flat index, the cell across it, and the sign of its outward normal.
struct Side {
    std::size_t axis;
    std::size_t face;
    std::size_t across;
    double sign;
};

template <class Body>
void for_sides(const TileGrid& grid, int t, int c, Body&& body)
{
    const CellNeighbours at(grid, t, c % 8, c / 8 % 8, c / 64);
    for (std::size_t a = 0; a < 3; ++a) {
        body(Side{a, at.own, at.down[a], -1.0});
        body(Side{a, at.up[a], at.up[a], 1.0});
    }
}

/// Whether a face has a mass of its own; a cell's lower faces have its index.
bool is_free(const PressureInput& in, std::size_t cell)
{
    return !in.free_tiles.empty() && in.free_tiles[cell / kTileCells] != 0;
}

/// Of the liquid between two cells.
double inverse_liquid_density(const PressureInput& in, std::size_t a, std::size_t b)
{
    if (in.density.empty()) return 1 / in.uniform_density;
    const double rho_a = in.density[a];
    const double rho_b = in.density[b];
    if (rho_a > 0 && rho_b > 0) return 2 / (rho_a + rho_b);
    return 1 / std::max(rho_a, rho_b);
}

/// Of a face between two cells: that of its liquid, or of its own mass.
double inverse_density(const PressureInput& in, std::size_t axis, std::size_t face, std::size_t a, std::size_t b)
{
    if (!is_free(in, face) || !(in.carried[axis][face] > 0)) return inverse_liquid_density(in, a, b);
    return in.grid->cell_size() * in.grid->cell_size() * in.grid->cell_size() / in.carried[axis][face];
}

/// Where the surface cuts the line from a liquid cell's centre to an empty one's, as a fraction of the cell size.
double theta(const PressureInput& in, std::size_t liquid, std::size_t empty)
{
    if (is_free(in, liquid)) return 1;
    const double inside = in.liquid_distance[liquid];
    const double outside = in.liquid_distance[empty];
    return std::clamp(inside / (inside - outside), kLeastTheta, 1.0);
}

double surface_pressure(const PressureInput& in, std::size_t axis, std::size_t face)
{
    return in.surface_pressure[axis].empty() ? 0 : in.surface_pressure[axis][face];
}

bool is_liquid(const PressureInput& in, std::size_t cell) { return in.liquid_distance[cell] < 0; }

/// Of a face, that no solid takes.
double unwalled_part(const PressureInput& in, std::size_t axis, std::size_t face)
{
    const double open = in.solids->open[axis][face];
    return in.openings == nullptr ? open : std::max(open, in.openings->hole(axis, face));
}

/// Of that, what a source drives.
double driven_part(const PressureInput& in, std::size_t axis, std::size_t face)
{
    return in.openings == nullptr ? 0 : in.openings->driven(axis, face);
}

/// Of a face, that liquid may take as it likes.
double open_part(const PressureInput& in, std::size_t axis, std::size_t face)
{
    const double open = unwalled_part(in, axis, face) * (1 - driven_part(in, axis, face));
    return in.share[axis].empty() ? open : open * (1 - in.share[axis][face]);
}

/// What two solids sweep in a cell that they leave but a sliver of is not what the sliver has to carry: most of it is
/// solid already. Liquid is squeezed out of a cell at no more than this many times the solids' speed; a sliver beside
/// it, in the next cell, has no room for it either.
constexpr double kMostSqueezed = 3;

double divergence(const PressureInput& in, const std::array<std::vector<double>, 3>& velocity, int t, int c)
{
    double outflow = 0, swept = 0, room = 0, fastest = 0;
    for_sides(*in.grid, t, c, [&](const Side& s) {
        const double open = unwalled_part(in, s.axis, s.face), driven = driven_part(in, s.axis, s.face);
        const double thin = in.flux[s.axis].empty() ? 0 : open * (1 - driven) * in.flux[s.axis][s.face];
        const double solid = (1 - open) * in.solids->velocity[s.axis][s.face];
        outflow += s.sign * (open_part(in, s.axis, s.face) * velocity[s.axis][s.face] + thin + solid);
        if (driven > 0) outflow += s.sign * open * driven * in.openings->velocity(s.axis, s.face);
        swept += s.sign * solid;
        room += std::min(open, 2.0 * in.solids->open_volume[s.across] / kOpenCell);
        fastest = open < 1 ? std::max(fastest, std::abs(in.solids->velocity[s.axis][s.face])) : fastest;
    });
    const double most = kMostSqueezed * room * fastest; // one rigid body alone never reaches it
    if (std::abs(swept) > most) outflow -= swept - std::copysign(most, swept);
    const double inflow =
        in.openings == nullptr ? 0 : in.openings->inflow(static_cast<std::size_t>(t * kTileCells + c));
    return outflow / in.grid->cell_size() - inflow;
}

/// Marks the liquid cells of a tile that have an open face.
void mark_unknowns(const PressureInput& in, int t, std::vector<std::uint8_t>& unknown)
{
    for (int c = 0; c < kTileCells; ++c) {
        const auto cell = static_cast<std::size_t>(t * kTileCells + c);
        double open = 0;
        if (is_liquid(in, cell))
            for_sides(*in.grid, t, c, [&](const Side& s) {
                open += unwalled_part(in, s.axis, s.face) * (1 - driven_part(in, s.axis, s.face));
            });
        unknown[cell] = open > 0;
    }
}

void assemble_tile(const PressureInput& in, const std::array<std::vector<double>, 3>& velocity, int t,
                   PressureSystem& system)
{
    const double scale = in.dt / (in.grid->cell_size() * in.grid->cell_size());
    for (int c = 0; c < kTileCells; ++c) {
        const auto cell = static_cast<std::size_t>(t * kTileCells + c);
        for (auto& coefficient : system.coefficient) coefficient[cell] = 0;
        system.diagonal[cell] = 0;
        system.right_side[cell] = 0;
        if (system.unknown[cell] == 0) continue;
        double from_surface = 0;
        for_sides(*in.grid, t, c, [&](const Side& s) {
            const double weight =
                scale * open_part(in, s.axis, s.face) * inverse_density(in, s.axis, s.face, cell, s.across);
            if (system.unknown[s.across] != 0) {
                if (s.sign < 0) system.coefficient[s.axis][cell] = weight; // the upper face belongs to the next cell
            } else if (weight > 0) {
                const double stiffness = weight / theta(in, cell, s.across);
                system.diagonal[cell] += stiffness;
                from_surface += stiffness * surface_pressure(in, s.axis, s.face);
            }
        });
        system.right_side[cell] = from_surface - divergence(in, velocity, t, c);
    }
}

/// The cell on the other side of a cell's lower face.
std::size_t cell_below(const TileGrid& grid, std::size_t axis, std::size_t cell)
{
    const int t = static_cast<int>(cell / kTileCells), c = static_cast<int>(cell % kTileCells);
    const Vec3i e = Vec3i::Unit(static_cast<int>(axis));
    return grid.index(t, c % 8 - e.x(), c / 8 % 8 - e.y(), c / 64 - e.z());
}

/// Across the lower face of a cell, over one cell's size; on one side at least there is liquid.
double pressure_jump(const PressureInput& in, const PressureSystem& system, std::size_t axis, std::size_t cell,
                     std::size_t below)
{
    if (system.unknown[below] == 0)
        return (system.pressure[cell] - surface_pressure(in, axis, cell)) / theta(in, cell, below);
    if (system.unknown[cell] == 0)
        return (surface_pressure(in, axis, cell) - system.pressure[below]) / theta(in, below, cell);
    return system.pressure[cell] - system.pressure[below];
}

/// Eight cells along x, one byte each.
std::uint64_t unknown_row(const PressureInput& in, const PressureSystem& system, int t, int j, int k)
{
    std::uint64_t eight = 0;
    std::memcpy(&eight, &system.unknown[in.grid->index(t, 0, j, k)], sizeof eight);
    return eight;
}
constexpr std::uint64_t kAllUnknown = 0x0101010101010101;

/// The pressure's effect on the lower faces along `axis` of a row of cells that are unknowns, as are those below them.
void apply_to_row(const PressureInput& in, const PressureSystem& system, std::size_t row, std::size_t axis,
                  std::size_t below, double scale, std::vector<double>& velocity)
{
    const double *open = &in.solids->open[axis][row], *p = &system.pressure[row], *p_below = &system.pressure[below];
    double* u = &velocity[row];
    const double beta = 1 / in.uniform_density;
    for (int i = 0; i < kTileEdge; ++i) {
        const double change = scale * beta * (p[i] - p_below[i]);
        u[i] -= open[i] > 0 ? change : 0.0;
    }
}

void apply_to_face(const PressureInput& in, const PressureSystem& system, std::size_t cell, std::size_t axis,
                   std::size_t below, double scale, std::vector<double>& velocity)
{
    if (unwalled_part(in, axis, cell) * (1 - driven_part(in, axis, cell)) == 0 ||
        (system.unknown[cell] == 0 && system.unknown[below] == 0))
        return;
    velocity[cell] -=
        scale * inverse_density(in, axis, cell, cell, below) * pressure_jump(in, system, axis, cell, below);
}

/// The lower faces of a row of cells.
void apply_to_cells(const PressureInput& in, const PressureSystem& system, int t, int j, int k, double scale,
                    std::array<std::vector<double>, 3>& velocity)
{
    const std::uint64_t own = unknown_row(in, system, t, j, k), y = unknown_row(in, system, t, j - 1, k),
                        z = unknown_row(in, system, t, j, k - 1);
    if ((own | y | z) == 0 && system.unknown[in.grid->index(t, -1, j, k)] == 0) return;
    const std::size_t row = in.grid->index(t, 0, j, k);
    const bool plain = in.density.empty() && own == kAllUnknown && !is_free(in, row) &&
                       (in.openings == nullptr || !in.openings->has(static_cast<std::size_t>(t)));
    if (plain && y == kAllUnknown) apply_to_row(in, system, row, 1, in.grid->index(t, 0, j - 1, k), scale, velocity[1]);
    if (plain && z == kAllUnknown) apply_to_row(in, system, row, 2, in.grid->index(t, 0, j, k - 1), scale, velocity[2]);
    for (int i = 0; i < kTileEdge; ++i) {
        const CellNeighbours at(*in.grid, t, i, j, k);
        apply_to_face(in, system, at.own, 0, at.down[0], scale, velocity[0]);
        if (!plain || y != kAllUnknown) apply_to_face(in, system, at.own, 1, at.down[1], scale, velocity[1]);
        if (!plain || z != kAllUnknown) apply_to_face(in, system, at.own, 2, at.down[2], scale, velocity[2]);
    }
}

} // namespace

void assemble_pressure(const PressureInput& in, const std::array<std::vector<double>, 3>& velocity,
                       PressureSystem& system)
{
    const std::size_t size = in.grid->field_size();
    system.unknown.resize(size);
    std::fill(system.unknown.end() - kTileCells, system.unknown.end(), std::uint8_t{0});
    for (auto& coefficient : system.coefficient) coefficient.resize(size);
    system.diagonal.resize(size);
    system.right_side.resize(size);
    for (auto& coefficient : system.coefficient) std::fill(coefficient.end() - kTileCells, coefficient.end(), 0.0);
    parallel_for(in.grid->n_tiles(), "mark unknowns",
                 [&](std::int64_t t) { mark_unknowns(in, static_cast<int>(t), system.unknown); });
    parallel_for(in.grid->n_tiles(), "assemble pressure",
                 [&](std::int64_t t) { assemble_tile(in, velocity, static_cast<int>(t), system); });
}

void assemble_right_side(const PressureInput& in, const std::array<std::vector<double>, 3>& velocity,
                         PressureSystem& system)
{
    parallel_for(in.grid->n_tiles(), "assemble right side", [&](std::int64_t t) {
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            system.right_side[cell] =
                system.unknown[cell] != 0 ? 0 - divergence(in, velocity, static_cast<int>(t), c) : 0;
        }
    });
}

std::optional<double> pressure_gradient(const PressureInput& in, const PressureSystem& system, std::size_t axis,
                                        std::size_t face)
{
    if (unwalled_part(in, axis, face) * (1 - driven_part(in, axis, face)) == 0) return std::nullopt;
    const std::size_t below = cell_below(*in.grid, axis, face);
    if (system.unknown[face] == 0 && system.unknown[below] == 0) return std::nullopt;
    const double weight = // of liquid that weighs what its volume does, where a mass of its own gives it this change
        is_free(in, face) ? inverse_density(in, axis, face, face, below) / inverse_liquid_density(in, face, below)
                          : 1.0;
    return weight * pressure_jump(in, system, axis, face, below) / in.grid->cell_size();
}

void apply_pressure(const PressureInput& in, const PressureSystem& system, std::array<std::vector<double>, 3>& velocity)
{
    const double scale = in.dt / in.grid->cell_size();
    parallel_for(in.grid->n_tiles(), "apply pressure", [&](std::int64_t t) {
        for (int row = 0; row < kTileEdge * kTileEdge; ++row)
            apply_to_cells(in, system, static_cast<int>(t), row % 8, row / 8, scale, velocity);
    });
}

double largest_divergence(const PressureInput& in, const PressureSystem& system,
                          const std::array<std::vector<double>, 3>& velocity)
{
    return ordered_reduce(
        in.grid->n_tiles(), "largest divergence", 0.0,
        [&](std::int64_t begin, std::int64_t end) {
            double largest = 0;
            for (std::int64_t cell = begin * kTileCells; cell < end * kTileCells; ++cell)
                if (system.unknown[static_cast<std::size_t>(cell)] != 0)
                    largest = std::max(largest, std::abs(divergence(in, velocity, static_cast<int>(cell / kTileCells),
                                                                    static_cast<int>(cell % kTileCells))));
            return largest;
        },
        [](double a, double b) { return std::max(a, b); }, 16);
}

} // namespace rivulet
