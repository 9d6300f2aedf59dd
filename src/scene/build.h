#pragma once

#include "geometry/curves.h"
#include "scene/problems.h"
#include "scene/scene.h"
#include "scene/value.h"

#include <map>
#include <memory>

namespace rivulet {

/// Shapes by the resolved table that describes them: made once, used by the checks and by the model.
using ShapeMap = std::map<const Value*, std::shared_ptr<const Shape>>;

/// Makes every shape of the scene; those that cannot be made (an open mesh, a torus through itself) become problems.
[[nodiscard]] ShapeMap build_shapes(const Value& root, Problems& problems);
[[nodiscard]] Pose build_pose(const Value& object);
[[nodiscard]] Motion build_motion(const Value& object);

/// What one value alone cannot tell: order of bounds and times, sizes, places. Works on scenes with problems too.
void check_meaning(const Value& root, const ShapeMap& shapes, Problems& problems);

/// Strands as polylines at the start, in the world's frame, by the resolved table of their group.
using CurveMap = std::map<const Value*, Curves>;
/// Makes the strands of every group that `options` asks for; what cannot grow (on a plane, in more vertices than memory
/// holds, folded back on itself) becomes a problem.
[[nodiscard]] CurveMap build_curves(const Value& root, const ShapeMap& shapes, const ParseOptions& options,
                                    Problems& problems);
/// What one value alone cannot tell of strands: pins, loads and probes of vertices that are not there or held twice.
void check_strands(const Value& root, const CurveMap& curves, Problems& problems);
/// Adds the strands of the scene to a model that has its obstacles already.
void build_strands(const Value& root, const CurveMap& curves, Model& model);

/// The model of a resolved scene without problems.
[[nodiscard]] Model build_model(const Value& root, const ShapeMap& shapes, const CurveMap& curves);
[[nodiscard]] RenderSettings build_render(const Value& root);
[[nodiscard]] std::vector<Expectation> build_expectations(const Value& root, const std::vector<SceneSource>& sources);

} // namespace rivulet
