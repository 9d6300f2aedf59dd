#include "sim/workspace.h"

#include "sim/scratch.h"

namespace rivulet {

Workspace::Workspace() : scratch_(std::make_unique<Scratch>()) {}
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
