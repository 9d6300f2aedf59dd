#pragma once

#include "contact/bridge_curve.h"
#include "strands/strand_contacts.h"

#include <span>
#include <vector>

namespace rivulet {

/// What liquid joins at the end of a step, sorted by a, then b: vertices at which linked edges begin, the first the
/// smaller; b against obstacle o: -1 - 3 o for the first half of the edge, -2 - 3 o for the second.
struct BridgeLinks {
    std::vector<std::int32_t> a, b;
    std::vector<double> force; ///< that the bridge had [N], where the search for the next begins

    [[nodiscard]] std::size_t size() const { return a.size(); }
};

/// The liquid on strands that bridges are made of. Spans have one entry a vertex.
struct BridgeInput {
    std::span<const double> film_area;   ///< cross-section of the film [m^2]
    std::span<const double> in_air = {}; ///< 1 in air, 0 submerged; none = all in air
    double surface_tension = 0;          ///< [N/m]
    double closing_speed = 0.01;         ///< at which a bridge draws things together at most, in the cones' step [m/s]
    bool alike = false;                  ///< liquid is shared by squares of distances, not evenly
    const StrandBridgeTable* strands = nullptr; ///< law between strands
    const SolidBridgeTable* solids = nullptr;   ///< law of a strand and a solid; null = no bridges to obstacles
    const BridgeLinks* links = nullptr;         ///< of the last step; null = none
};

/// A bridge at the beginning of a step. `contact.gap` is the distance there, `contact.force` what the link remembers.
struct StrandBridge {
    StrandContact contact;
    double length = 0; ///< [m]
    BridgeCurve curve;
};

/// Where strands are, and obstacles.
struct BridgeScene {
    std::span<const Vec3> position; ///< [m]
    std::span<const Hold> hold;     ///< none = all free
    std::span<const StrandObstacle> obstacles;
    bool at_end = false; ///< which of the obstacles' poses counts
};

/// The bridges of all links, in their order, that pull at anything.
///
/// A pair of edges is one point with the length that both have beside each other within the distance at which the
/// bridge breaks (edge_overlap). The liquid of an edge is shared by all that it is linked to: A_L = A_a/n_a + A_b/n_b,
/// n = linked strands and obstacles; against an obstacle only the strand's own counts. `alike` shares it in proportion
/// to the squares of the distances of centre lines instead (from an obstacle's surface twice the strand's), so that the
/// bridges of an edge have one shape. Obstacles are taken for
/// cylinders along the strand, as curved as they are across it, or for planes where they are hollow. Makes what tables
/// of `input.strands` and `input.solids` it needs.
[[nodiscard]] std::vector<StrandBridge> place_bridges(const StrandEdges& edges, const BridgeScene& scene,
                                                      const BridgeInput& input);

/// What bridges in air draw together, sorted; `input` may be null.
[[nodiscard]] std::vector<StrandPair> drawn_together(const StrandEdges& edges, const BridgeInput* input);

/// Takes the bridges out of a step's contacts, and notes their forces in `bridges`.
[[nodiscard]] std::vector<StrandContact> take_bridges(std::vector<StrandContact>& contacts,
                                                      std::span<StrandBridge> bridges);

/// Who is linked now: where films touch, and what was linked and has not broken. Edges that were linked to each other's
/// strands, if not to each other, count as having been linked: bridges go along as strands slide. A strand is not
/// linked to itself. `pairs` is updated; `bridges` tells the forces.
[[nodiscard]] BridgeLinks update_links(const StrandEdges& edges, const BridgeScene& scene, const BridgeInput& input,
                                       std::span<const StrandBridge> bridges, EdgePairs& pairs);

} // namespace rivulet
