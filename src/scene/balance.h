#pragma once

#include "scene/scene.h"

#include <string>
#include <vector>

namespace rivulet {

/// Groups of strands with `sag_free` of which some balance gravity at the start as a pencil does on its tip, a line
/// each.
[[nodiscard]] std::vector<std::string> balance_warnings(const Scene& scene);

} // namespace rivulet
