#pragma once

#include <string>
#include <vector>

namespace rivulet {

/// Scalar fields that probes and pictures can ask of liquid particles ("speed", "velocity.x", ...), with units.
struct FieldName {
    std::string name, unit, meaning;
};
[[nodiscard]] const std::vector<FieldName>& liquid_fields();

} // namespace rivulet
