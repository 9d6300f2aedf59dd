#include "sim/diagnostics.h"
#include "sim/film_thickness.h"
#include "sim/seed.h"
#include "sim/sources.h"
#include "sim/state.h"

#include "fluid/viscosity.h"
#include "grid/tile_grid.h"
#include "wetting/film_section.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Measured over the gallery (tests/cli compares): bytes of the program before it has read a scene, of scratch per
/// particle, of fields per tile and of the solver per tile, and copies of the State while it is written.
constexpr double kProgram = 45e6;
constexpr double kScratchPerParticle = 30;
constexpr double kFieldsPerTile = kTileCells * 166.0;
constexpr double kSolverPerTile = kTileCells * 75.0;
constexpr double kViscosityPerTile = kTileCells * 270.0; ///< where that stage acts, which is not in every tile
constexpr double kTensionPerTile = kTileCells * 72.0;    ///< nine fields at the widest place
constexpr double kImmersionPerTile =
    kTileCells * 100.0; ///< strands in the liquid: nine fields, and what is in their reach
constexpr double kCopiesWhileWriting = 0.8;
/// A vertex of a strand: the state, the state at the start, the next one, rest shapes, what holds it.
constexpr double kBytesPerStrandVertex = 850;
/// What contacts add to it: factors, pairs, the contacts themselves; and the compliance between few of them.
constexpr double kContactBytesPerVertex = 600;
constexpr double kBlockBytesPerVertex = 500, kBlockBytes = 6e6;
/// Wet clumps: bridges and contacts of a vertex in them, each with each of its strand, as far as the step keeps that.
constexpr double kBridgesOfVertex = 9, kWetBlockBytes = 64e6;
constexpr double kFilmBytesPerVertex = 400;
constexpr double kImmersionBytesPerVertex = 450;
/// Of the films' own mesh: volume, flow, what is held and due, a copy of the state.
constexpr double kMeshBytesPerVertex = 150;
constexpr double kTilesOfShedParticle = 2;
/// What is poured on strands breaks up on them: 500 tiles for 19,000 particles in `shaking_dog`.
constexpr double kTilesOfPouredParticle = 0.03;
/// Liquid that moves has more of a surface, and tiles there, than at the start.
constexpr double kSpread = 2.5;

double state_bytes_per_particle()
{
    State one;
    visit_particles(one.liquid, [](const char*, const char*, auto& values) { values.resize(1); });
    double bytes = 0;
    for (const ArrayView& a : state_arrays(one))
        if (a.name.starts_with("liquid.")) bytes += static_cast<double>(a.n_bytes());
    return bytes;
}

bool is_viscous(const Model& model)
{
    const double scale = model.options.max_step / (model.options.cell_size * model.options.cell_size);
    return std::any_of(model.liquids.begin(), model.liquids.end(),
                       [&](const Liquid& l) { return scale * l.viscosity / l.density >= kLeastViscousNumber; });
}

double block_bytes(const Model& model)
{
    const double dry = std::min(kBlockBytes, kBlockBytesPerVertex * model.strands.n_vertices());
    const auto n_strands = model.strands.material.size();
    if (!model.wetting || !model.wetting->bridges || n_strands < 2) return dry;
    double wet = 0;
    for (std::size_t s = 0; s < n_strands; ++s) {
        const double links = kBridgesOfVertex * (model.strands.first[s + 1] - model.strands.first[s]);
        wet += sizeof(double) * links * links;
    }
    return std::max(dry, std::min(wet, kWetBlockBytes));
}

double strand_bytes(const Model& model)
{
    const double n = model.strands.n_vertices();
    const bool touch = model.options.strand_contact != StrandContactLaw::None || !model.strands.joints.empty();
    const int more = model.wetting ? model.wetting->film_parts - 1 : 0;
    return kBytesPerStrandVertex * n + static_cast<double>(sizeof(double) * model.strands.scale.size()) +
           more * kMeshBytesPerVertex * n + (model.wetting ? (kFilmBytesPerVertex + kImmersionBytesPerVertex) * n : 0) +
           (touch ? kContactBytesPerVertex * n + block_bytes(model) : 0);
}

/// Volume of the films at the start [m^3].
double film_volume(const Model& model)
{
    double volume = 0;
    const StrandModel& strands = model.strands;
    for (std::size_t s = 0; s < strands.material.size() && model.wetting; ++s) {
        for (auto v = static_cast<std::size_t>(strands.first[s]);
             v + 1 < static_cast<std::size_t>(strands.first[s + 1]); ++v)
            volume += 0.5 * strands.rest_length[v] *
                      (film_area(model.film_at_start[v], round_radius(strands, s, v)) +
                       film_area(model.film_at_start[v + 1], round_radius(strands, s, v + 1)));
    }
    return volume;
}

double domain_cells(const Model& model)
{
    const Vec3 cells = (model.domain.box.size() / model.options.cell_size).array() + 6;
    return cells.prod();
}

/// That liquid anywhere in the domain can reach; even in a thin one it reaches two along each axis.
double domain_tiles(const Model& model)
{
    const Vec3 cells = (model.domain.box.size() / model.options.cell_size).array() + 6;
    return (cells / kTileEdge).cwiseMax(2.0).prod() + 1;
}

} // namespace

MemoryEstimate estimate_memory(const Model& model)
{
    const double dx = model.options.cell_size;
    const double capacity = 8 * domain_cells(model);
    double initial = 0;
    for (const LiquidBody& body : model.bodies) initial += body_volume(model, body);
    double emitted = 0;
    for (const Source& source : model.sources)
        emitted +=
            source_volume(model, source, std::max(0.0, std::min(source.stop, model.options.end_time) - source.start));
    // Drops that strands shed are smaller than particles of the bulk, until they join others.
    const double shed = model.wetting && model.wetting->drips ? film_volume(model) : 0;
    const double particles = std::min(8 * (initial + emitted + 2 * shed) / (dx * dx * dx), capacity);
    // A tile holds 4096 particles when it is full; its halo is shared with others in large bodies of liquid.
    const double full_tiles = particles / (8 * kTileCells);
    const double halo = 6 * std::pow(full_tiles, 2.0 / 3) + 12 * std::cbrt(full_tiles) + 8;
    // They also fly far apart, each with tiles of its own; where there are many, tiles hold several.
    const double poured = model.wetting ? emitted : 0;
    const double flying = 8 * (kTilesOfShedParticle * shed + kTilesOfPouredParticle * poured) / (dx * dx * dx);
    const double bulk = std::min(full_tiles + kSpread * halo, domain_tiles(model));
    const double reached = domain_tiles(model) - bulk;
    const double tiles = bulk + (reached > 0 ? reached * -std::expm1(-flying / reached) : 0);

    const double fields = kFieldsPerTile + (model.options.surface_tension ? kTensionPerTile : 0) +
                          (model.wetting ? kImmersionPerTile : 0);
    const double solvers = tiles * (kSolverPerTile + (is_viscous(model) ? kViscosityPerTile : 0));
    const double state = particles * state_bytes_per_particle();
    return {state + particles * kScratchPerParticle,
            tiles * fields,
            solvers,
            kCopiesWhileWriting * state,
            kProgram,
            strand_bytes(model)};
}

} // namespace rivulet
