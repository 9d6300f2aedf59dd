#pragma once

#include "render/scene.h"
#include "run/strand_colours.h"
#include "run/wet_strands.h"

namespace rivulet {

/// Strands of one group as pictures draw them: each with StrandGroup::picture_strands - 1 others beside it, somewhat
/// shorter, between random places of a disc across its root and of a narrower one across its tip, which turn with it
/// and with the body that holds it. Which is where depends on the strand's number alone.
[[nodiscard]] CurveDrawable picture_curves(const Scene& scene, const Frame& frame, const WetStrands& wet,
                                           const StrandColours& colours, std::size_t group);

} // namespace rivulet
