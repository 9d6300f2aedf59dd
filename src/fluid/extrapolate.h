#pragma once

#include "fluid/solids.h"
#include "grid/tile_grid.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

namespace rivulet {

/// Velocity at a face of a tile as a vector: its own component, and the means of the four faces of each other axis
/// around it.
[[nodiscard]] Vec3 vector_at_face(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity, int t,
                                  int axis, const Vec3i& cell);

/// Marks the open faces of liquid cells: those whose velocity the pressure has set.
void mark_known_faces(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid_cells,
                      std::array<std::vector<std::uint8_t>, 3>& known);

/// Lets faces beyond the surface that particles still give mass to take part in what happened to the liquid: `layers`
/// times, a face outside of solids that has mass but is not known becomes known with its `transferred` velocity plus
/// the mean change (velocity - transferred) of the known ones around it. So a change that is none leaves the momentum
/// and the angular momentum of the particles exactly as they are.
void extrapolate_change(const TileGrid& grid, const SolidFields& solids, const std::array<std::vector<double>, 3>& mass,
                        const std::array<std::vector<double>, 3>& transferred, int layers,
                        std::array<std::vector<double>, 3>& velocity, std::array<std::vector<std::uint8_t>, 3>& known);

/// Carries velocities from the known faces outwards: `layers` times, every face without a value takes the mean of the
/// neighbouring faces (of its own axis) that have one and becomes known. Faces that no layer reaches keep what they
/// had.
void extrapolate_velocity(const TileGrid& grid, int layers, std::array<std::vector<double>, 3>& velocity,
                          std::array<std::vector<std::uint8_t>, 3>& known);

/// The solid that a face lies in.
struct FaceSolid {
    bool is_inside = false;
    int body = -1; ///< as in Solids::Nearest
    Vec3 normal = Vec3::Zero();

    [[nodiscard]] bool operator==(const FaceSolid& other) const
    {
        return is_inside == other.is_inside && body == other.body && normal == other.normal;
    }
};

/// What solids at rest say at the faces of tiles that no moving body reaches, as far as it was asked for: known from
/// step to step. Of the same static solids throughout.
class FaceSolids {
public:
    /// Keeps what is known of the tiles of `grid` and holds for them.
    void begin(const TileGrid& grid, const SolidFields& fields);
    /// The solid at face c of a tile, across axis a, as of `look`, which is called only where it is not known. Calls
    /// for different tiles do not disturb each other.
    template <class Look>
    FaceSolid at(int t, std::size_t a, std::size_t c, Look&& look)
    {
        if (tiles_[static_cast<std::size_t>(t)] == nullptr) return look();
        OfTile& tile = *tiles_[static_cast<std::size_t>(t)];
        std::uint16_t& entry = tile.entry[a][c];
        if (entry == 0) {
            const FaceSolid solid = look();
            entry = static_cast<std::uint16_t>(solid.is_inside ? 2 + tile.number(solid) : 1);
        }
        return entry == 1 ? FaceSolid{} : tile.inside[entry - 2U];
    }

private:
    struct OfTile {
        /// By face: 0 not asked for, 1 outside of solids, n + 2 inside, and `inside[n]` tells.
        std::array<std::array<std::uint16_t, kTileCells>, 3> entry{};
        std::vector<FaceSolid> inside;

        /// Place of a solid in `inside`. Flat walls are there once, not once a face.
        std::size_t number(const FaceSolid& solid)
        {
            constexpr std::size_t kSearched = 8;
            const auto end = inside.begin() + static_cast<std::ptrdiff_t>(std::min(inside.size(), kSearched));
            const auto found = std::find(inside.begin(), end, solid);
            if (found != end) return static_cast<std::size_t>(found - inside.begin());
            inside.push_back(solid);
            return inside.size() - 1;
        }
    };
    TileGrid grid_;
    std::vector<std::unique_ptr<OfTile>> tiles_; ///< none where a moving body is near, or no solid
};

/// Solids whose surface liquid may slip along.
struct SlipWalls {
    const Solids& solids;
    FaceSolids& at_rest;
};

/// Mass [kg] that goes with the velocity of each face when extrapolation has carried velocities outwards: its own, and
/// of every face in the open that takes the mean of others, in equal parts with these; 0 for such a face itself. So the
/// momentum of what is given to the faces that have some is kept. `by_change`: as extrapolate_change() does it, else
/// as extrapolate_velocity(). `momentum`, if any, is handed on in the same way. Of faces in `walls` that part counts
/// which constrain_to_solids() leaves of a velocity along the face's axis; without them, and by change, nothing of it.
void lump_mass(const TileGrid& grid, const SolidFields& solids, const std::array<std::vector<double>, 3>& mass,
               int layers, bool by_change, const std::array<std::vector<std::uint8_t>, 3>& known,
               std::array<std::vector<double>, 3>& lumped, std::array<std::vector<double>, 3>* momentum = nullptr,
               const SlipWalls* walls = nullptr);

/// Gives known faces inside solids the velocity that the solid allows: its own along its normal, and along the surface
/// the liquid's slowed down by the friction (1 = no slip). Closed faces that are not known get the solid's own: those
/// at both sides of a gap of one cell are far from any that the pressure sets. What `at_rest` knows saves time and
/// changes nothing.
void constrain_to_solids(const TileGrid& grid, const Solids& solids, const SolidFields& fields,
                         const std::array<std::vector<std::uint8_t>, 3>& known,
                         std::array<std::vector<double>, 3>& velocity, FaceSolids& at_rest);

} // namespace rivulet
