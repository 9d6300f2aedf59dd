#include "rivulet/error.h"

#include "base/assert.h"
#include "base/error.h"
#include "run/signals.h"

namespace rivulet {

int exit_code(const std::exception& error) noexcept
{
    if (dynamic_cast<const InputError*>(&error)) return kExitInput;
    if (dynamic_cast<const IoError*>(&error)) return kExitIo;
    if (dynamic_cast<const SimulationError*>(&error)) return kExitSimulation;
    if (dynamic_cast<const InterruptedError*>(&error)) return kExitInterrupted;
    return kExitInternal;
}

const char* version() noexcept { return RIVULET_VERSION; }

} // namespace rivulet
