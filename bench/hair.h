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

/// Bundles side by side, each of so many straight free hairs of 25 vertices in the closest packing, a twentieth of
/// their thickness apart, that fall on a table right under them: after some ten steps of 1 ms they lie on each other.
[[nodiscard]] Model falling_bundles(int n_bundles, std::int64_t n_strands_each);

} // namespace rivulet
