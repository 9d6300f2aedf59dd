#pragma once

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
void check_meaning(const Value& root, const ShapeMap& shapes, const ParseOptions& options, Problems& problems);

/// The same for strands: where they grow, how many vertices they have in all and in a curl, polylines that fold.
void check_strands(const Value& root, const ShapeMap& shapes, const ParseOptions& options, Problems& problems);
/// Adds the strands of the scene to a model that has its obstacles already.
void build_strands(const Value& root, const ShapeMap& shapes, const ParseOptions& options, Model& model);

/// The model of a resolved scene without problems.
[[nodiscard]] Model build_model(const Value& root, const ShapeMap& shapes, const ParseOptions& options);
[[nodiscard]] RenderSettings build_render(const Value& root);
[[nodiscard]] std::vector<Expectation> build_expectations(const Value& root, const std::vector<SceneSource>& sources);

} // namespace rivulet
