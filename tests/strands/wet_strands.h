#pragma once

#include "strands/penalty_step.h"
#include "strands/strand_bridges.h"
#include "strands/touching.h"

#include <numbers>
#include <vector>

namespace rivulet {

/// The strand of the public wet-hair scenes: r = 50 um, soft, with a film of 70 um whose mass it has.
inline constexpr double kThick = 5e-5, kFilm = 7e-5, kOil = 0.0206, kTheta = std::numbers::pi / 3;
inline constexpr double kFilmArea = std::numbers::pi * kFilm * (kFilm + 2 * kThick);
inline constexpr double kLian = 1 + 0.5 * kTheta;
inline const RodMaterial kWetHair{.density = 1300 + 950 * kFilmArea / (std::numbers::pi * kThick * kThick),
                                  .youngs_modulus = 3.4e8,
                                  .shear_modulus = 5.4e6,
                                  .radius_a = kThick,
                                  .radius_b = kThick};

inline const StrandBridgeTable& pair_table()
{
    static const StrandBridgeTable table(kTheta);
    return table;
}
inline const SolidBridgeTable& solid_table()
{
    static const SolidBridgeTable table(kTheta, kTheta);
    return table;
}

/// Strands with films of one thickness.
template <class Options, class Workspace>
struct WetStrands : TouchingStrands<Options, Workspace> {
    explicit WetStrands(const RodMaterial& material = kWetHair) : TouchingStrands<Options, Workspace>(material) {}
    WetStrands(const WetStrands&) = delete; // its input refers to its films and links
    WetStrands& operator=(const WetStrands&) = delete;

    /// Once all strands are there.
    void wet(double thickness, double tension)
    {
        const double r = this->model.materials[0].radius_a;
        area.assign(this->state.position.size(), std::numbers::pi * thickness * (thickness + 2 * r));
        input = {.film_area = area,
                 .surface_tension = tension,
                 .strands = &pair_table(),
                 .solids = &solid_table(),
                 .links = &links};
        this->options.bridges = &input;
    }
    void go(const StrandStep& step)
    {
        this->advance(step);
        links = this->contact.links;
    }
    [[nodiscard]] BridgeScene scene() const { return {this->state.position, {}, this->obstacles}; }
    /// As at the end of a step without forces.
    void relink() { links = update_links(StrandEdges(this->model), scene(), input, {}, pairs); }
    [[nodiscard]] std::vector<StrandBridge> bridges() const
    {
        return place_bridges(StrandEdges(this->model), scene(), input);
    }

    std::vector<double> area;
    BridgeInput input;
    BridgeLinks links;
    EdgePairs pairs;
};
using WetCones = WetStrands<ContactOptions, ContactWorkspace>;
using WetPenalties = WetStrands<PenaltyStepOptions, PenaltyWorkspace>;

} // namespace rivulet
