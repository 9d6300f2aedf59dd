#pragma once

#include "base/vec.h"
#include "contact/penalty_curve.h"
#include "geometry/motion.h"
#include "geometry/shape.h"
#include "strands/strands.h"
#include "wetting/strand_film.h"

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rivulet {

/// A liquid component; particles refer to it by index.
struct Liquid {
    std::string name;
    double density = 1000;         ///< [kg/m^3]
    double viscosity = 1e-3;       ///< dynamic [Pa s]
    double surface_tension = 0;    ///< [N/m]; 0 = off
    double contact_angle = 0;      ///< at obstacles and walls, through the liquid [rad]
    Vec3 colour = {0.1, 0.3, 0.6}; ///< linear RGB
};

/// Liquid present at the start.
struct LiquidBody {
    std::string name;
    std::shared_ptr<const Shape> shape; ///< world frame after `pose`
    Pose pose;
    int liquid = 0;                       ///< index into Model::liquids
    Vec3 velocity = Vec3::Zero();         ///< [m/s]
    Vec3 angular_velocity = Vec3::Zero(); ///< about the origin of `pose` [rad/s]
    double vortex_speed = 0;              ///< largest speed of rows of vortices about z, turning by turns [m/s]
    double vortex_size = 1;               ///< edge of the square that each of them fills [m]
    bool jitter = false;                  ///< random offsets of the seeded particles within their eighth of a cell
};

/// A solid that liquid cannot enter; moves as scripted.
struct Obstacle {
    std::string name;
    std::shared_ptr<const Shape> shape; ///< body frame
    Motion motion;
    double friction = 0;                   ///< of liquid: 0 = free slip, 1 = no slip at walls [1]
    std::optional<double> strand_friction; ///< Coulomb's coefficient; none = that of the strand [1]
    Vec3 colour = {0.6, 0.6, 0.6};
    bool visible = true;
    bool transparent = false; ///< pictures show it as clear glass
};

/// Where liquid enters: the shape is kept full of liquid that moves with `velocity`.
struct Source {
    std::string name;
    std::shared_ptr<const Shape> shape; ///< body frame
    Motion motion;
    int liquid = 0;
    Vec3 velocity = Vec3::Zero(); ///< of the liquid, body axes, on top of the source's own motion [m/s]
    double start = 0;             ///< [s]
    double stop = std::numeric_limits<double>::infinity(); ///< [s]
};

/// Where liquid leaves: what enters the shape is taken out and booked.
struct Drain {
    std::string name;
    std::shared_ptr<const Shape> shape; ///< body frame
    Motion motion;
    double start = 0;                                      ///< [s]
    double stop = std::numeric_limits<double>::infinity(); ///< [s]
};

/// Strands that were described together: what pictures need of them.
struct StrandGroup {
    std::string name;
    std::int32_t first_strand = 0;
    std::int32_t n_strands = 0;
    Vec3 colour = {0.25, 0.12, 0.05}; ///< linear RGB
    double picture_radius = 0;        ///< [m]; 0 = the real one
    bool is_random = false;           ///< grown at random: some of it crosses by chance
    int picture_strands = 1;          ///< drawn for each strand, itself among them
    double picture_spread = 0;        ///< radius about its root within which they are drawn [m]
    double picture_clump = 0;         ///< part by which they are nearer to it at the tip
    std::vector<Vec3> colours = {};   ///< of each strand, where they differ; else empty

    [[nodiscard]] const Vec3& colour_of(std::size_t number) const
    {
        return colours.empty() ? colour : colours.at(number);
    }
};

/// Cone: strands touch each other and obstacles, with Coulomb's friction. Penalty: they push each other away by the
/// curve of wet hair, without friction. None: they pass through everything.
enum class StrandContactLaw { None, Cone, Penalty };

/// Liquid that wets the strands: their films, what they catch and shed.
struct Wetting {
    int liquid = 0;             ///< index into Model::liquids
    double contact_angle = 0;   ///< on strands [rad]
    double surface_tension = 0; ///< that holds drops [N/m]
    FilmLiquid film;            ///< density, viscosity and surface tension, as the flow along strands feels them
    FilmMomentum momentum = FilmMomentum::Transport;
    bool bridges = true;        ///< liquid between strands, and between strands and obstacles, draws them together
    bool bridges_alike = false; ///< it is shared by squares of distances, not evenly
    bool spreads = false;       ///< it also passes from strand to strand
    bool captures = true;
    bool drips = true;
    double capture_time = 0.1; ///< in which a strand under liquid fills its film to 1 - 1/e [s]
    double thickest = 6;       ///< outer radius that capture fills a film to, in radii of the strand
    bool drags = true;         ///< liquid that strands are in drags them, and they it
    bool floats = true;        ///< its pressure lifts them, and they displace it
    bool inertia = true;       ///< films lag behind strands that speed up
    bool flows = true;         ///< films run along strands
    int film_parts = 1;        ///< of an edge on the mesh of its film: FilmStrands::parts
    double drip_factor = 0.5;  ///< its square times what surface tension can hold is held
};

enum class Wall { Closed, Open };

/// The box that the simulation lives in. Closed walls hold liquid and strands; liquid that passes an open one is booked
/// and gone.
struct Domain {
    Aabb box;                              ///< [m]
    std::array<Wall, 6> walls{};           ///< -x +x -y +y -z +z
    double friction = 0;                   ///< of the closed walls, as Obstacle::friction
    std::optional<double> strand_friction; ///< of the closed walls, as Obstacle::strand_friction
};

/// Those of strands come last.
enum class ProbeKind {
    Volume,
    Mean,
    Minimum,
    Maximum,
    CentreOfMass,
    Force,
    Torque,
    Value,
    Kinetic,
    CaughtVolume,
    ShedVolume,
    StrandPosition,
    StrandTension,
    StrandLength,
    StrandTwist,
    StrandStrain,
    StrandKinetic,
    FilmVolume,
    FilmCentre,
    FilmThickness,
    FilmShed,
    FilmShedRate,
    Bridges,
    Clusters,
    LargestCluster,
    MeanCluster
};
enum class Sampling { Step, Frame };

/// A number read out of the run into probes.csv.
struct Probe {
    std::string name;
    ProbeKind kind = ProbeKind::Volume;
    std::string field;  ///< "speed", "velocity.x", "position.z", "pressure", ...; empty where the kind needs none
    std::string object; ///< name of a liquid, obstacle or group of strands; empty = all liquids
    Vec3 point = Vec3::Zero();           ///< for Value [m]
    std::shared_ptr<const Shape> region; ///< only what is inside, where given (world frame)
    Sampling every = Sampling::Frame;
    std::int32_t strand = 0;  ///< number in its group
    std::int32_t vertex = -1; ///< of that strand, or edge that begins there; below 0 counted from the end
    bool is_local = false;    ///< clusters: only by what joins strands at that vertex
};

struct Options {
    double cell_size = 0.01;          ///< [m]
    Vec3 gravity = {0, 0, -9.81};     ///< [m/s^2]
    double frame_interval = 1.0 / 24; ///< [s]
    double end_time = 1;              ///< [s]
    double max_step = 1e-2;           ///< [s]
    double min_step = 1e-7;           ///< the run fails rather than go below [s]
    double cfl = 1;                   ///< cells that the fastest particle may cross in a step
    int max_retries = 5;              ///< halvings of one step before the run fails
    double pressure_tolerance = 1e-7; ///< largest divergence left, as a fraction of a cell volume per step
    int max_pressure_iterations = 200;
    std::uint64_t seed = 1;
    bool surface_tension = false; ///< off by default: its waves limit the time step
    double strand_step = 1e-3;    ///< largest time step while there are strands [s]
    StrandIntegrator strand_integrator = StrandIntegrator::Euler;
    StrandContactLaw strand_contact = StrandContactLaw::Cone;
    PenaltyLaw strand_penalty;
};

/// What never changes after the build. `const` everywhere.
struct Model {
    std::string title;
    Options options;
    Domain domain;
    std::vector<Liquid> liquids;
    std::vector<LiquidBody> bodies;
    std::vector<Obstacle> obstacles;
    std::vector<Source> sources;
    std::vector<Drain> drains;
    std::vector<Probe> probes;
    bool measures_loads = true; ///< of the liquid on obstacles; not where no probe reads them, since they are costly
    StrandModel strands;
    StrandState strands_at_start;
    std::vector<StrandGroup> strand_groups; ///< in the order of their strands, none left out
    Air air = {.density = 0};
    std::optional<Wetting> wetting;    ///< none: strands stay dry
    std::vector<double> film_at_start; ///< thickness at each vertex [m]; empty without wetting
    double shortest_edge = 0;          ///< of strands at rest [m]; 0 without any
};

} // namespace rivulet
