#include "sim/film_stages.h"

#include "numerics/find_root.h"
#include "sim/scratch.h"
#include "sim/wet_span.h"

#include <algorithm>
#include <utility>

namespace rivulet {
namespace {

constexpr double kLeastViscosity = 1e-6; ///< of a liquid that the scene says has none [Pa s]

/// Vertices of two strands between which liquid can pass.
struct Passage {
    std::size_t i = 0, j = 0;
    double conductance = 0; ///< volume per time and difference of pressure [m^3/(s Pa)]
};

/// Liquid goes from strand to strand through the bridges between them, drawn by the suction of the grooves that it
/// fills: Washburn's law for each bridge, solved implicitly for the two vertices that it joins, bridge by bridge and
/// back.
class Spreading {
public:
    Spreading(const Model& model, State& state, Workspace::Scratch& scratch, double dt)
        : model_(model), state_(state), scratch_(scratch), dt_(dt), density_(model.wetting->film.density),
          strand_(strand_of_vertices(model.strands)), mass_(vertex_masses(model.strands))
    {
        const std::vector<double> wet = film_masses(model, state);
        for (std::size_t v = 0; v < mass_.size(); ++v) mass_[v] += wet[v];
        if (!scratch.films.suction) scratch.films.suction.emplace(model.wetting->contact_angle);
    }

    void run(const BridgeInput& input)
    {
        find_passages(input);
        for (const Passage& p : passages_) pass(p);
        for (auto p = passages_.rbegin(); p != passages_.rend(); ++p) pass(*p);
    }

private:
    void find_passages(const BridgeInput& input)
    {
        const StrandEdges edges(model_.strands);
        const double viscosity =
            std::max(model_.liquids[static_cast<std::size_t>(model_.wetting->liquid)].viscosity, kLeastViscosity);
        std::vector<std::pair<std::size_t, std::int32_t>> partners; // a vertex and a strand that it is joined to
        for (const StrandBridge& b : place_bridges(edges, {state_.strands.position, {}, {}}, input)) {
            const auto i = static_cast<std::size_t>(b.contact.s < 0.5 ? b.contact.a : b.contact.a + 1);
            const auto j = static_cast<std::size_t>(b.contact.t < 0.5 ? b.contact.b : b.contact.b + 1);
            const double r = 0.5 * (radius(i) + radius(j)), d = b.contact.gap;
            // Per height of the bridge: its mean one is the area of its section over its width d.
            passages_.push_back({i, j, b.length / (d * d) * r * r / (8 * viscosity)});
            partners.emplace_back(i, strand_[j]);
            partners.emplace_back(j, strand_[i]);
        }
        std::sort(partners.begin(), partners.end());
        partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
        grooves_.assign(strand_.size(), 0);
        for (const auto& [v, other] : partners) grooves_[v] += 1;
        for (Passage& p : passages_) p.conductance *= groove(p.i, volume(p.i)) + groove(p.j, volume(p.j));
    }

    [[nodiscard]] double& volume(std::size_t v) { return state_.film.volume[v]; }
    [[nodiscard]] double radius(std::size_t v) const
    {
        return scratch_.films.radius[static_cast<std::size_t>(strand_[v])] * model_.strands.scale_at(v);
    }
    [[nodiscard]] WetSpan span(std::size_t v) const
    {
        return span_of(model_, state_, static_cast<std::size_t>(strand_[v]));
    }
    /// A vertex' part of the section of one of the grooves that share its liquid [m^2].
    [[nodiscard]] double groove(std::size_t v, double volume) const
    {
        return volume / (span(v).length(v) * grooves_[v]);
    }
    /// Pressure of the liquid of a vertex, if it were the same across the groove [Pa].
    [[nodiscard]] double pressure(std::size_t v, double volume) const
    {
        const double r = radius(v);
        return -model_.wetting->surface_tension / r * (*scratch_.films.suction)(2 * groove(v, volume) / (r * r));
    }

    /// For half of the step.
    void pass(const Passage& p)
    {
        if (!(volume(p.i) + volume(p.j) > 0)) return;
        const bool is_backward = pressure(p.i, volume(p.i)) < pressure(p.j, volume(p.j));
        const std::size_t from = is_backward ? p.j : p.i, to = is_backward ? p.i : p.j;
        const double have = volume(from), there = volume(to), rate = 0.5 * dt_ * p.conductance;
        const auto excess = [&](double q) { return q - rate * (pressure(from, have - q) - pressure(to, there + q)); };
        if (!(excess(0) < 0)) return; // the same pressure
        hand_over(from, to, find_root(0, have, excess));
    }

    void hand_over(std::size_t from, std::size_t to, double amount)
    {
        const double given = std::min(amount, volume(from));
        if (!(given > 0)) return;
        const Vec3 momentum = density_ * given * film_velocity(state_, span(from), from);
        take_liquid(state_, span(from), from, given);
        mass_[from] -= density_ * given;
        receive_liquid(model_, state_, scratch_, span(to), to, mass_[to], given, momentum);
        mass_[to] += density_ * given;
    }

    const Model& model_;
    State& state_;
    const Workspace::Scratch& scratch_;
    double dt_, density_;
    std::vector<std::int32_t> strand_;
    std::vector<double> mass_; ///< of vertices with what they carry [kg]
    std::vector<double> grooves_;
    std::vector<Passage> passages_;
};

} // namespace

void spread_films(const Model& model, State& state, Workspace::Scratch& scratch, double dt)
{
    if (!model.wetting->spreads || state.bridges.size() == 0) return;
    if (const BridgeInput* input = find_bridges(model, state, scratch)) {
        BridgeInput between = *input;
        between.solids = nullptr;
        Spreading(model, state, scratch, dt).run(between);
    }
}

} // namespace rivulet
