#pragma once

#include "render/scene.h"
#include "run/frame.h"
#include "run/run_folder.h"
#include "scene/scene.h"

#include <optional>

namespace rivulet {

/// What a picture of this frame shows: the liquid as a surface (or spheres, as the scene says) and the visible
/// obstacles, strands with the liquid on them.
[[nodiscard]] RenderScene picture_scene(const Scene& scene, const Frame& frame);

/// Surface of the bulk liquid of a frame, coloured by its particles.
[[nodiscard]] TriangleMesh liquid_surface(const Scene& scene, const Frame& frame);
/// Surface of an obstacle in its own frame; of one without an end, what the domain has of it when the run starts.
[[nodiscard]] TriangleMesh obstacle_mesh(const Scene& scene, std::size_t obstacle);

/// The scene of a run with keys changed that only pictures know ("render.colour_by=speed"); InputError for others.
[[nodiscard]] Scene load_for_pictures(const RunFolder& folder, const std::vector<std::string>& overrides);

/// The numbers of the frames to work on: one that must exist, or all. InputError when there is none.
[[nodiscard]] std::vector<std::int64_t> chosen_frames(const RunFolder& folder,
                                                      const std::optional<std::int64_t>& frame);

} // namespace rivulet
