#pragma once

#include "sim/model.h"
#include "strands/rod_system.h"

namespace rivulet {

/// Four curls of human hair (E 3.9 GPa, radius 35 um) of n vertices, 5 mm apart, some way into a step of 1 ms.
struct FourHairs {
    explicit FourHairs(int n);
    RodSystem system;
    RodConfiguration configuration;
};

/// Hair on a head that nods, clamped at its roots: 26 cm long, softly curled, in steps of 1 ms.
[[nodiscard]] Model head_of_hair(std::int64_t n_strands, int n_vertices, StrandContactLaw contact);

} // namespace rivulet
