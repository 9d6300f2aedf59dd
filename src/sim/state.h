#pragma once

#include "base/vec.h"
#include "base/vec3f.h"
#include "sim/model.h"
#include "strands/contact_step.h"

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rivulet {

/// A running total that keeps the rounding it would lose (Neumaier), so that a million bookings close to 1e-15.
struct Account {
    double sum = 0;
    double carry = 0;

    void add(double amount) noexcept
    {
        const double total = sum + amount;
        carry +=
            (sum < 0 ? -sum : sum) >= (amount < 0 ? -amount : amount) ? (sum - total) + amount : (amount - total) + sum;
        sum = total;
    }
    [[nodiscard]] double total() const noexcept { return sum + carry; }
};

/// A vector, component by component.
inline void book(std::vector<Account>& account, const Vec3& amount)
{
    for (int a = 0; a < 3; ++a) account[static_cast<std::size_t>(a)].add(amount[a]);
}

struct Clock {
    double time = 0;          ///< [s]
    std::int64_t step = 0;    ///< steps taken
    std::int64_t frame = 0;   ///< frames completed; the next is due at (frame + 1) * frame_interval
    double previous_step = 0; ///< [s]; 0 before the first
};

/// Bulk liquid: one entry per particle in every array.
struct LiquidParticles {
    std::vector<Vec3> position;       ///< [m]
    std::vector<Vec3> velocity;       ///< [m/s]
    std::vector<Vec3f> lead;          ///< by which the motion is ahead of the velocity: half a step's change [m/s]
    std::vector<Mat3> affine;         ///< APIC velocity gradient, row a = gradient of component a [1/s]
    std::vector<double> volume;       ///< [m^3]
    std::vector<float> pressure;      ///< of the last projection, sampled at the particle; warm start [Pa]
    std::vector<Vec3f> colour;        ///< linear RGB
    std::vector<std::int32_t> liquid; ///< index into Model::liquids
    std::vector<std::int64_t> id;     ///< unique over the run

    [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(position.size()); }
};

/// Where every drop came from and went, per liquid [m^3].
struct Ledger {
    std::vector<Account> initial; ///< present at the start
    std::vector<Account> emitted; ///< entered through sources
    std::vector<Account> drained; ///< left through drains
    std::vector<Account> left;    ///< left through open walls
    /// Within the bulk, by size: what joined another particle, and what was parted from one.
    std::vector<Account> merged;
    std::vector<Account> split;
    std::vector<Account> caught; ///< by strands
    std::vector<Account> shed;   ///< from them
    std::vector<std::int64_t> n_merges;
    std::vector<std::int64_t> n_splits;

    explicit Ledger(std::size_t n_liquids = 0)
        : initial(n_liquids), emitted(n_liquids), drained(n_liquids), left(n_liquids), merged(n_liquids),
          split(n_liquids), caught(n_liquids), shed(n_liquids), n_merges(n_liquids), n_splits(n_liquids)
    {
    }
};

/// Reaction of the liquid and the strands on each obstacle in the last step; of the liquid only where
/// Model::measures_loads.
struct Loads {
    std::vector<Vec3> force;  ///< [N]
    std::vector<Vec3> torque; ///< about the obstacle's origin [N m]
};

/// Liquid on the strands: one entry a vertex, or none where strands stay dry; quantities of edges at the vertex where
/// the edge begins.
struct StrandFilm {
    std::vector<double> volume; ///< [m^3]
    std::vector<double> flow;   ///< of edges, towards the tip, relative to the strand [m/s]
    /// The same on the films' own mesh (film_begin()), of which the above are sums and means; empty where it is that of
    /// the strands.
    std::vector<double> mesh_volume, mesh_flow;
    std::vector<Vec3> owed;   ///< impulse that the film will give to the strand in the next step [N s]
    std::vector<double> pool; ///< that hangs from the tip of each strand [m^3]
    /// Speed along the strand, relative to the tip, that it arrived with and will fall off with [m/s].
    std::vector<double> pool_flow;
    std::vector<double> shed;        ///< that fell off each strand since the start [m^3]
    std::vector<double> shed_before; ///< until the present frame began [m^3]
    std::int64_t liquid = 0;         ///< index into Model::liquids

    [[nodiscard]] bool is_there() const noexcept { return !volume.empty(); }
    [[nodiscard]] bool has_mesh() const noexcept { return !mesh_volume.empty(); }
};

/// What strands remember of the liquid that they are in; one entry a vertex, or none.
struct StrandImmersion {
    std::vector<Vec3> pressure_gradient; ///< of the last projection [Pa/m]
    std::vector<Vec3> acceleration;      ///< that they had then [m/s^2]
    std::vector<double> exposure;        ///< part of a vertex that was in the air [1]
};

/// What has acted on the strands since the start: impulses, three components each, and work.
struct StrandLedger {
    std::vector<Account> initial;  ///< momentum at the start [kg m/s]
    std::vector<Account> gravity;  ///< [N s]
    std::vector<Account> support;  ///< of what holds them
    std::vector<Account> drag;     ///< of the air
    std::vector<Account> load;     ///< of point loads
    std::vector<Account> contact;  ///< of obstacles that they touch
    std::vector<Account> caught;   ///< momentum of liquid that they caught
    std::vector<Account> shed;     ///< and of what fell off them, with its sign turned
    std::vector<Account> flow;     ///< of the liquid that they are in, by drag
    std::vector<Account> buoyancy; ///< and by its pressure
    /// Momentum in the leads of liquid that no solid is near, besides that of weight [kg m/s]: impulses of strands left
    /// it there, and liquid that was taken away. v + l has all of them, and they go on from there no more.
    std::vector<double> lead;
    Account initial_energy; ///< kinetic, elastic and in gravity [J]
    Account support_work;   ///< [J]
    Account drag_work;
    Account load_work;
    Account contact_work;    ///< of the motion of obstacles
    Account liquid_work;     ///< of drag and pressure of the liquid that they are in
    Account exchange_energy; ///< of liquid caught, less that of liquid shed, kinetic and in gravity [J]

    StrandLedger()
        : initial(3), gravity(3), support(3), drag(3), load(3), contact(3), caught(3), shed(3), flow(3), buoyancy(3),
          lead(3, 0.0)
    {
    }
};

/// Everything that the next step depends on. A checkpoint is this and nothing else.
struct State {
    Clock clock;
    LiquidParticles liquid;
    Ledger ledger;
    Loads loads;
    StrandState strands;
    ContactMemory strand_contacts;
    StrandLedger strand_ledger;
    StrandFilm film;
    BridgeLinks bridges; ///< of liquid between strands, and from strands to obstacles
    StrandImmersion immersion;
    std::int64_t next_id = 0;
};

/// How many entries the array `name` of State::film or State::immersion ("film.volume") has.
[[nodiscard]] inline std::int64_t film_entries(const Model& model, std::string_view name)
{
    if (!model.wetting) return 0;
    if (name.starts_with("film.mesh")) {
        const std::int64_t parts = model.wetting->film_parts, n = model.strands.n_strands();
        return parts > 1 ? (model.strands.n_vertices() - n) * parts + n : 0;
    }
    const bool is_of_strands = name.starts_with("film.pool") || name.starts_with("film.shed");
    return is_of_strands ? model.strands.n_strands() : model.strands.n_vertices();
}

/// Of particle p [kg/m^3].
[[nodiscard]] inline double density_of(const Model& model, const State& state, std::size_t p)
{
    return model.liquids[static_cast<std::size_t>(state.liquid.liquid[p])].density;
}

/// Velocity of particle p, `leads` half steps ahead of that of the grid that it was last on: 1 is what it moves with, 2
/// belongs to where it is now. Before the first step all are the same.
[[nodiscard]] inline Vec3 velocity_ahead(const State& state, std::size_t p, int leads)
{
    if (state.clock.step == 0) return state.liquid.velocity[p];
    return state.liquid.velocity[p] + leads * state.liquid.lead[p].cast<double>();
}

enum class Scalar { Float64, Float32, Int64, Int32 };
[[nodiscard]] std::size_t scalar_size(Scalar scalar) noexcept; ///< [bytes]

/// One registered array of the State, seen without its type.
struct ArrayView {
    std::string_view name; ///< "liquid.position"
    std::string_view unit; ///< "m"; empty = none
    Scalar scalar = Scalar::Float64;
    int components = 1;           ///< scalars per entry
    std::int64_t count = 0;       ///< entries
    std::byte* data = nullptr;    ///< count * components scalars
    bool is_array = true;         ///< false: a single value whose count cannot change
    const void* member = nullptr; ///< address and size of the State member, for the completeness test
    std::size_t member_size = 0;

    [[nodiscard]] std::size_t n_bytes() const noexcept
    {
        return static_cast<std::size_t>(count) * static_cast<std::size_t>(components) * scalar_size(scalar);
    }
};

/// The arrays of the bulk liquid, one entry per particle in each: what sorting and removal move together.
template <class Particles, class Visitor>
void visit_particles(Particles& l, Visitor&& visit)
{
    visit("liquid.position", "m", l.position);
    visit("liquid.velocity", "m/s", l.velocity);
    visit("liquid.lead", "m/s", l.lead);
    visit("liquid.affine", "1/s", l.affine);
    visit("liquid.volume", "m3", l.volume);
    visit("liquid.pressure", "Pa", l.pressure);
    visit("liquid.colour", "", l.colour);
    visit("liquid.liquid", "", l.liquid);
    visit("liquid.id", "", l.id);
}

/// THE list of what a State holds. Hashing, checkpoints, `info`, comparison, the watchdog all go through it; the test
/// StateRegistry.HasEveryMember fails when a member is missing here.
template <class StateLike, class Visitor>
void visit_state(StateLike& s, Visitor&& visit)
{
    visit("clock.time", "s", s.clock.time);
    visit("clock.step", "", s.clock.step);
    visit("clock.frame", "", s.clock.frame);
    visit("clock.previous_step", "s", s.clock.previous_step);
    visit_particles(s.liquid, visit);
    visit("ledger.initial", "m3", s.ledger.initial);
    visit("ledger.emitted", "m3", s.ledger.emitted);
    visit("ledger.drained", "m3", s.ledger.drained);
    visit("ledger.left", "m3", s.ledger.left);
    visit("ledger.merged", "m3", s.ledger.merged);
    visit("ledger.split", "m3", s.ledger.split);
    visit("ledger.caught", "m3", s.ledger.caught);
    visit("ledger.shed", "m3", s.ledger.shed);
    visit("ledger.n_merges", "", s.ledger.n_merges);
    visit("ledger.n_splits", "", s.ledger.n_splits);
    visit("loads.force", "N", s.loads.force);
    visit("loads.torque", "N m", s.loads.torque);
    visit("strands.position", "m", s.strands.position);
    visit("strands.velocity", "m/s", s.strands.velocity);
    visit("strands.director", "", s.strands.director);
    visit("strands.spin", "rad/s", s.strands.spin);
    visit("strands.twist", "rad", s.strands.twist);
    visit("strand_contacts.a", "", s.strand_contacts.a);
    visit("strand_contacts.b", "", s.strand_contacts.b);
    visit("strand_contacts.force", "N", s.strand_contacts.force);
    visit("strand_contacts.residual", "m", s.strand_contacts.residual);
    visit("strand_contacts.n_missed", "", s.strand_contacts.n_missed);
    visit("strand_ledger.initial", "kg m/s", s.strand_ledger.initial);
    visit("strand_ledger.gravity", "kg m/s", s.strand_ledger.gravity);
    visit("strand_ledger.support", "kg m/s", s.strand_ledger.support);
    visit("strand_ledger.drag", "kg m/s", s.strand_ledger.drag);
    visit("strand_ledger.load", "kg m/s", s.strand_ledger.load);
    visit("strand_ledger.contact", "kg m/s", s.strand_ledger.contact);
    visit("strand_ledger.initial_energy", "J", s.strand_ledger.initial_energy);
    visit("strand_ledger.support_work", "J", s.strand_ledger.support_work);
    visit("strand_ledger.drag_work", "J", s.strand_ledger.drag_work);
    visit("strand_ledger.load_work", "J", s.strand_ledger.load_work);
    visit("strand_ledger.contact_work", "J", s.strand_ledger.contact_work);
    visit("strand_ledger.caught", "kg m/s", s.strand_ledger.caught);
    visit("strand_ledger.shed", "kg m/s", s.strand_ledger.shed);
    visit("strand_ledger.flow", "kg m/s", s.strand_ledger.flow);
    visit("strand_ledger.buoyancy", "kg m/s", s.strand_ledger.buoyancy);
    visit("strand_ledger.lead", "kg m/s", s.strand_ledger.lead);
    visit("strand_ledger.liquid_work", "J", s.strand_ledger.liquid_work);
    visit("strand_ledger.exchange_energy", "J", s.strand_ledger.exchange_energy);
    visit("film.volume", "m3", s.film.volume);
    visit("film.flow", "m/s", s.film.flow);
    visit("film.mesh_volume", "m3", s.film.mesh_volume);
    visit("film.mesh_flow", "m/s", s.film.mesh_flow);
    visit("film.owed", "kg m/s", s.film.owed);
    visit("film.pool", "m3", s.film.pool);
    visit("film.pool_flow", "m/s", s.film.pool_flow);
    visit("film.shed", "m3", s.film.shed);
    visit("film.shed_before", "m3", s.film.shed_before);
    visit("film.liquid", "", s.film.liquid);
    visit("immersion.pressure_gradient", "Pa/m", s.immersion.pressure_gradient);
    visit("immersion.acceleration", "m/s2", s.immersion.acceleration);
    visit("immersion.exposure", "", s.immersion.exposure);
    visit("bridges.a", "", s.bridges.a);
    visit("bridges.b", "", s.bridges.b);
    visit("bridges.force", "N", s.bridges.force);
    visit("next_id", "", s.next_id);
}

/// The registered arrays of a State, in registration order. Views stay valid until an array is resized.
[[nodiscard]] std::vector<ArrayView> state_arrays(State& state);
[[nodiscard]] std::vector<ArrayView> state_arrays(const State& state);

/// Gives the array called `name` a new count (a checkpoint being read); false if there is no such array or it is a
/// single value.
bool resize_array(State& state, std::string_view name, std::int64_t count);

/// Hash over every registered array: name, shape and bits.
[[nodiscard]] std::uint64_t state_hash(const State& state);

/// First difference in words ("liquid.velocity[17].y: 0.5 against 0.25"), empty if the states are the same bits.
[[nodiscard]] std::string first_difference(const State& a, const State& b);

/// Volume of one liquid now, in particles and on strands, ledger balance, and the balance's relative error.
struct LedgerBalance {
    double initial = 0, emitted = 0, drained = 0, left = 0, bulk = 0; ///< [m^3]
    double film = 0, pool = 0;                                        ///< on strands, and hanging from their tips [m^3]
    double relative_error = 0;    ///< |bulk + film + pool - (initial + emitted - drained - left)| / what ever was there
    double merged = 0, split = 0; ///< moved from particle to particle, so not part of the balance [m^3]
    double caught = 0, shed = 0;  ///< moved to strands and back [m^3]
    std::int64_t n_merges = 0, n_splits = 0;
};
[[nodiscard]] LedgerBalance ledger_balance(const State& state, int liquid);
/// Over all liquids.
[[nodiscard]] LedgerBalance ledger_balance(const State& state);

} // namespace rivulet
