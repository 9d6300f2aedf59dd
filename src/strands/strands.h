#pragma once

#include "base/vec.h"
#include "numerics/velocity_force.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace rivulet {

/// What a strand is made of. Cross-sections are ellipses with half axes radius_a along the material frame's m1 and
/// radius_b along its m2.
struct RodMaterial {
    double density = 1300;        ///< [kg/m^3]
    double youngs_modulus = 4e9;  ///< [Pa]
    double shear_modulus = 1.3e9; ///< [Pa]
    double viscosity = 0;         ///< internal, against changes of shape [Pa s]
    double radius_a = 35e-6;      ///< [m]
    double radius_b = 35e-6;      ///< [m]
    double friction = 0.2;        ///< Coulomb's coefficient between two of them [1]

    [[nodiscard]] double area() const;             ///< [m^2]
    [[nodiscard]] double bending_moment_1() const; ///< second moment of area for bending about m2 [m^4]
    [[nodiscard]] double bending_moment_2() const; ///< about m1 [m^4]
    [[nodiscard]] double torsion_moment() const;   ///< of Saint-Venant [m^4]
};

/// Four strands of equal vertex count that are solved together; -1 = lane not used.
struct StrandBatch {
    int n_vertices = 0;
    std::array<std::int32_t, 4> strand = {-1, -1, -1, -1};
};

/// Holds a vertex to a body, or to the world, until it is released.
struct StrandPin {
    std::int32_t vertex = 0;
    std::int32_t body = -1;        ///< index of an obstacle; -1 = the world
    Vec3 position = Vec3::Zero();  ///< in the body's frame [m]
    bool clamps_edge = false;      ///< holds the frame of the edge that begins here too; its other end must be pinned
    Vec3 director = Vec3::UnitX(); ///< of that edge, in the body's frame
    double release = std::numeric_limits<double>::infinity(); ///< time at which it lets go [s]
};

/// A steady force on one vertex.
struct StrandLoad {
    std::int32_t vertex = 0;
    Vec3 force = Vec3::Zero();                             ///< [N]
    double start = 0;                                      ///< [s]
    double stop = std::numeric_limits<double>::infinity(); ///< [s]
};

/// Ties a place of one strand to a place of another, free to turn about it: a knot.
struct StrandJoint {
    std::int32_t a = 0, b = 0; ///< vertices at which the tied edges begin
    double s = 0, t = 0;       ///< places on them, 0 to 1
};

/// What never changes of the strands: materials, topology, rest shapes, who holds them. Quantities of edges are stored
/// at the vertex where the edge begins; those of bends at the middle vertex.
struct StrandModel {
    std::vector<RodMaterial> materials;
    std::vector<std::int32_t> first = {0}; ///< first vertex of each strand, and one past the last
    std::vector<std::int32_t> material;    ///< of each strand
    std::vector<double> rest_length;       ///< [m]; 0 at the last vertex of a strand
    /// Of each vertex: its thickness as a part of the half axes of the strand's material, linear between; empty = 1.
    /// Made by taper_strand().
    std::vector<double> scale;
    std::vector<std::array<double, 4>> rest_curvature; ///< as RodBend::kappa
    std::vector<double> rest_twist;                    ///< [rad]
    std::vector<StrandPin> pins;
    std::vector<StrandLoad> loads;
    std::vector<StrandJoint> joints;
    /// Of each edge: the obstacle that holds its strand and that it is in at the start, so that they never touch; -1 =
    /// none. Empty: none is. See find_held_inside().
    std::vector<std::int32_t> held_inside;
    std::vector<StrandBatch> batches; ///< made by group_strands()

    [[nodiscard]] std::int32_t n_strands() const { return static_cast<std::int32_t>(material.size()); }
    [[nodiscard]] std::int32_t n_vertices() const { return first.back(); }
    [[nodiscard]] std::int32_t n_vertices(std::int32_t strand) const
    {
        const auto s = static_cast<std::size_t>(strand);
        return first[s + 1] - first[s];
    }
    [[nodiscard]] double scale_at(std::size_t v) const { return scale.empty() ? 1 : scale[v]; }
    [[nodiscard]] double mean_scale(std::size_t edge) const { return 0.5 * (scale_at(edge) + scale_at(edge + 1)); }
    /// Rest length that belongs to a vertex: the halves of the edges beside it [m].
    [[nodiscard]] double vertex_length(std::size_t v) const
    {
        return 0.5 * ((v > 0 ? rest_length[v - 1] : 0) + rest_length[v]);
    }
    /// Lengths of strand of the material's own thickness [m] that are equal to the part that belongs to a vertex in
    /// volume; to an edge in moment of inertia about itself, in energy at equal strain; to the part that belongs to an
    /// inner vertex in how far a moment bends or twists it.
    [[nodiscard]] double volume_length(std::size_t v) const;
    [[nodiscard]] double inertia_length(std::size_t edge) const;
    [[nodiscard]] double stretch_length(std::size_t edge) const;
    [[nodiscard]] double bend_length(std::size_t v) const;
};

/// What the next step depends on: one entry a vertex in every array.
struct StrandState {
    std::vector<Vec3> position; ///< [m]
    std::vector<Vec3> velocity; ///< [m/s]
    std::vector<Vec3> director; ///< m1 of the edge that begins here: its material frame is (tangent, m1, tangent x m1)
    std::vector<double> spin;   ///< of that edge about its tangent [rad/s]
    std::vector<double>
        twist; ///< from the frame of the edge before to that of the edge after, whole turns counted [rad]

    [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(position.size()); }
    void resize(std::size_t n);
};

/// Appends a strand whose rest shape is the polyline `points` (at least three, no two neighbours in one place), at rest
/// and free. `director` fixes the frame of the first edge (made perpendicular to it); the others are parallel to it,
/// so the rest twist is 0. Returns its index.
std::int32_t add_strand(StrandModel& model, StrandState& state, std::span<const Vec3> points, std::int32_t material,
                        const Vec3& director);
/// Gives a strand a thickness that goes, linearly along its rest length, from that of its material at the first vertex
/// to `tip` times as much at the last.
void taper_strand(StrandModel& model, std::int32_t strand, double tip);
/// Puts strands of equal vertex count into batches; call once when all strands are there.
void group_strands(StrandModel& model);

/// Rest mass that belongs to each vertex [kg].
[[nodiscard]] std::vector<double> vertex_masses(const StrandModel& model);

/// The air that strands move through.
struct Air {
    double density = 0;           ///< [kg/m^3]; 0 = no drag
    double viscosity = 1.8e-5;    ///< [Pa s]
    Vec3 velocity = Vec3::Zero(); ///< wind [m/s]
};
/// Force per length and velocity of a thin cylinder of this diameter that moves at `speed` through the air [N s/m^2].
[[nodiscard]] double drag_across(const Air& air, double diameter, double speed);
[[nodiscard]] double drag_along(const Air& air, double diameter, double speed);

/// Euler: damps what it cannot resolve, the default. Midpoint: second order, keeps momentum and angular momentum to
/// rounding and damps nothing by itself; for measurements.
enum class StrandIntegrator { Euler, Midpoint };

/// How the forces of what a vertex touches fall with its displacement u in the step: by own u, and by next times that
/// of the next vertex, which feels the same of this one. Symmetric, xx xy xz yy yz zz [N/m].
struct ContactStiffness {
    std::array<double, 6> own{}, next{};
};

/// How a vertex is held in a step.
enum class Hold : std::uint8_t { Free = 0, Vertex = 1, VertexAndEdge = 2 };

/// All that acts on strands in one step. Spans have one entry a vertex, or none where nothing is held or loaded.
struct StrandStep {
    double dt = 0; ///< [s]
    StrandIntegrator integrator = StrandIntegrator::Euler;
    Vec3 gravity = Vec3::Zero(); ///< [m/s^2]
    Air air = {};
    std::span<const double> exposure = {}; ///< part of the air's drag that vertices feel; none: all of it
    std::span<const Hold> hold = {};
    std::span<const Vec3> target = {};          ///< where held vertices are at the end of the step [m]
    std::span<const Vec3> target_director = {}; ///< of held edges
    std::span<const Vec3> force = {};           ///< [N]
    std::span<const Vec3> contact_force = {};   ///< of what strands touch, at no displacement [N]
    std::span<const ContactStiffness> contact_stiffness = {};
    std::span<const double> added_mass = {};    ///< of liquid that moves with the vertices [kg]
    std::span<const double> added_inertia = {}; ///< and with the edges about their tangents [kg m^2]
    /// Forces that depend on the velocity at the end of the step: of liquid that slides along or flows past.
    std::span<const VelocityForce> coupling = {};
    double tolerance = 1e-8; ///< RodSolverOptions::tolerance
    int max_iterations = 250;
};

/// What a step did to one strand.
struct StrandOutcome {
    Vec3 support = Vec3::Zero();  ///< impulse of what holds it [N s]
    Vec3 drag = Vec3::Zero();     ///< impulse of the air [N s]
    Vec3 load = Vec3::Zero();     ///< impulse of point loads [N s]
    Vec3 contact = Vec3::Zero();  ///< impulse of what it touches [N s]
    Vec3 coupling = Vec3::Zero(); ///< impulse of StrandStep::coupling [N s]
    double support_work = 0;      ///< [J]
    double drag_work = 0;
    double load_work = 0;
    double coupling_work = 0;
    std::int32_t iterations = 0; ///< of its batch
    bool converged = false;
};
struct StrandUpdate {
    StrandState state;
    std::vector<StrandOutcome> outcome;
    std::vector<Vec3> support_force;    ///< on each vertex, by what holds it [N]
    std::vector<double> support_moment; ///< on each edge about its tangent [N m]
    std::int64_t iterations = 0;        ///< summed over batches
};

/// One implicit step of all strands, each on its own; `update` is written, `state` is not touched. The same bits on
/// any number of threads and for any order of the strands.
void step_strands(const StrandModel& model, const StrandState& state, const StrandStep& step, StrandUpdate& update);

/// Elastic energy of all strands [J].
[[nodiscard]] double elastic_energy(const StrandModel& model, const StrandState& state);
/// Largest |length/rest length - 1| of an edge.
[[nodiscard]] double largest_strain(const StrandModel& model, const StrandState& state);

/// Which edges are longer or shorter than at rest by more than they may be: 1 %, or ten times the strain rho g L/E that
/// the whole strand's weight gives to what it hangs from (to its thinnest edge), where that is more. What is that soft
/// was chosen to be.
struct StretchedEdges {
    double largest_strain = 0; ///< |length/rest length - 1| of any edge
    std::int64_t count = 0;    ///< of edges that are stretched or compressed by more than they may be
    std::int32_t worst = -1;   ///< of these the one with the largest strain: the vertex at which it begins
    double worst_strain = 0;   ///< its strain, with its sign
    friend bool operator==(const StretchedEdges&, const StretchedEdges&) = default;
};
/// `gravity`: its magnitude [m/s^2].
[[nodiscard]] StretchedEdges find_stretched_edges(const StrandModel& model, const StrandState& state, double gravity);

} // namespace rivulet
