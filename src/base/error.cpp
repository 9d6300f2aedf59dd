#include "base/error.h"

#include <fmt/format.h>

namespace rivulet {

SimulationError::SimulationError(std::string stage, std::string object, std::int64_t index, const std::string& what)
    : Error(index >= 0 ? fmt::format("{}: {}[{}]: {}", stage, object, index, what)
                       : fmt::format("{}: {}: {}", stage, object, what)),
      stage_(std::move(stage)), object_(std::move(object)), index_(index)
{
}

} // namespace rivulet
