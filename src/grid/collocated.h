#pragma once

#include "grid/particle_order.h"
#include "grid/tile_grid.h"

#include <span>
#include <vector>

namespace rivulet {

/// The motion of a material point, one cache line in float. Its position stays in double, beside it: a float would not
/// know its place in a cell far from the origin.
template <class Real>
struct PointMotion {
    Real velocity[3];  ///< [m/s]
    Real mass;         ///< [kg]
    Real affine[3][4]; ///< [1/s], affine[b][a] = derivative of component a along axis b; [b][3] is not used
};

/// A node at the centre of a cell.
template <class Real>
struct NodeMotion {
    Real velocity[3]; ///< [m/s]; momentum while particles are being scattered
    Real mass;        ///< [kg]
};

/// APIC particle to grid [Jiang 2015] with quadratic B-splines, all components on the same nodes: the cell centres.
///   m = sum w m_p,  u = sum w m_p (v + C (x_node - x_p)) / m   on every node that a particle reaches, 0 elsewhere.
/// Tiles are scattered colour by colour in a fixed order. For Real = float, double.
template <class Real>
void particles_to_nodes(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                        std::span<const PointMotion<Real>> particles, std::vector<NodeMotion<Real>>& nodes);

/// APIC grid to particle: v = sum w u,  C = 4/dx^2 sum w u (x_node - x_p)^T. Masses stay as they are.
template <class Real>
void nodes_to_particles(const TileGrid& grid, const ParticleOrder& order, std::span<const NodeMotion<Real>> nodes,
                        std::span<const Vec3> position, std::span<PointMotion<Real>> particles);

} // namespace rivulet
