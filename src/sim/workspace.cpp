#include "sim/workspace.h"

#include "sim/scratch.h"

#include <malloc.h>

namespace rivulet {
namespace {

/// Blocks at least this large come from the system and return to it when they are freed [bytes]. Left alone, the C
/// library raises that size to that of the fields, which grow by a tile now and then, and keeps the holes they leave.
constexpr int kLargeBlock = 1 << 18;
/// Memory of smaller blocks that is free stays with the program up to this much, and comes in pieces of an eighth
/// [bytes]: given back at the end of every step it would be asked for again at once, page by page.
constexpr int kKeptFree = 1 << 23;

} // namespace

Workspace::Workspace() : scratch_(std::make_unique<Scratch>())
{
    mallopt(M_MMAP_THRESHOLD, kLargeBlock);
    mallopt(M_TRIM_THRESHOLD, kKeptFree);
    mallopt(M_TOP_PAD, kKeptFree / 8);
}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

void Workspace::Scratch::release()
{
    faces = {};
    transferred = {};
    pressure = {};
    poisson = {};
    viscosity_solver = {};
}

} // namespace rivulet
