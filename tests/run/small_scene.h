#pragma once

#include "scene/scene.h"

#include <string>
#include <vector>

namespace rivulet::test {

/// A small tank with an obstacle with strands, and probes: some hundred particles, milliseconds a step.
inline const char* kSmallScene = R"(
title = "small tank"

[simulation]
cell_size = "5 cm"
end_time = "0.2 s"
strand_step = "10 ms"
frame_rate = "20 Hz"

[domain]
lower = "0 0 0 m"
upper = "0.5 0.3 0.4 m"
walls = { "+z" = "open" }

[liquids.water]
material = "water"

[bodies.pool]
liquid = "water"
shape = { type = "box", lower = "0 0 0 m", upper = "0.25 0.3 0.2 m" }

[obstacles.post]
shape = { type = "box", lower = "0.35 0.1 0 m", upper = "0.45 0.2 0.2 m" }

[strands.reeds]
kind = "groom"
obstacle = "post"
count = 5
vertices = 5
length = "10 cm"

[probes.front]
kind = "maximum"
field = "position.x"
every = "frame"

[probes.push]
kind = "force"
object = "post"
every = "step"

[test.volume]
quantity = "ledger.bulk"
value = 0.015
tolerance = 1e-9
)";

inline Scene small_scene(const std::vector<std::string>& overrides = {})
{
    return parse_scene(kSmallScene, "small.toml", overrides);
}

} // namespace rivulet::test
