#pragma once

#include "sim/model.h"

#include <string>
#include <vector>

namespace rivulet {

/// What a scene may say but hardly means, a line each: bodies that hold no liquid, because they lie wholly inside of
/// obstacles or outside of the domain; strands whose beginning does, that reach deep into what holds them, or that lie
/// inside of each other (those of a random group excepted). Of the moment at which the run starts.
[[nodiscard]] std::vector<std::string> placement_warnings(const Model& model);

} // namespace rivulet
