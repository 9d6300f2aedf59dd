#include "strands/contact_step.h"

#include "base/assert.h"
#include "strands/contact_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rivulet {

ContactWorkspace::ContactWorkspace() : parts_(std::make_unique<Parts>()) {}
ContactWorkspace::~ContactWorkspace() = default;

namespace {

/// Goes from an attempt to another one; the better is taken, of equals this one.
void attempt_better(const ContactCase& given, ContactWorkspace::Parts& parts, Buckling buckling, StrandUpdate& update,
                    ContactUpdate& contact)
{
    StrandUpdate before = std::exchange(update, {});
    ContactUpdate contact_before = std::exchange(contact, {});
    (void)attempt(given, parts, buckling, update, contact);
    if (!is_worse(contact, contact_before)) return;
    update = std::move(before);
    contact = std::move(contact_before);
}

} // namespace

std::string flaw_of(const ContactUpdate& contact)
{
    const std::int64_t n = contact.n_unbearable;
    const double size = contact.flaw_size;
    switch (contact.flaw) {
    case ContactFlaw::Forces:
        return fmt::format("found no forces that keep them apart: {:.3g} m are left", contact.residual);
    case ContactFlaw::Through:
        return fmt::format("edges that go through each other: {}", n);
    case ContactFlaw::Depth:
        return fmt::format("contacts left too near: {}, by up to {:.3g} m", n, size);
    case ContactFlaw::Knots:
        return fmt::format("knots that come open: {}, by up to {:.3g} m", n, size);
    case ContactFlaw::Solids:
        break;
    }
    return fmt::format("edges in obstacles: {}, up to {:.3g} m deep", n, size);
}

bool is_worse(const ContactUpdate& end, const ContactUpdate& other)
{
    if (end.thrown >= 0 || other.thrown >= 0) return end.thrown >= 0 && other.thrown < 0;
    if (end.n_unbearable != other.n_unbearable) return end.n_unbearable > other.n_unbearable;
    return end.n_missed > other.n_missed;
}

void step_strands(const StrandModel& model, const StrandState& state, const StrandStep& step,
                  std::span<const StrandObstacle> obstacles, const ContactMemory& memory, const ContactOptions& options,
                  ContactWorkspace& workspace, StrandUpdate& update, ContactUpdate& contact)
{
    RIVULET_VERIFY(step.integrator == StrandIntegrator::Euler);
    ContactWorkspace::Parts& parts = workspace.parts();
    if (!parts.edges) parts.edges.emplace(model);
    parts.factors.resize(model.batches.size());
    const std::vector<double>& radius = parts.edges->radius;
    const ContactCase given{model,
                            state,
                            step,
                            obstacles,
                            memory,
                            options,
                            *parts.edges,
                            parts.factors,
                            *std::min_element(radius.begin(), radius.end()),
                            drawn_together(*parts.edges, options.bridges)};
    switch (attempt(given, parts, Buckling::HoldUnlessVain, update, contact)) {
    case Attempt::Ended:
        return;
    case Attempt::FailedHolding:
        attempt_better(given, parts, Buckling::Let, update, contact);
        return;
    case Attempt::GaveUp:
        break;
    }
    (void)attempt(given, parts, Buckling::Let, update, contact);
    const bool is_flawless = contact.thrown < 0 && contact.n_unbearable == 0 && contact.n_missed == 0;
    if (!is_flawless) attempt_better(given, parts, Buckling::Hold, update, contact);
}

} // namespace rivulet
