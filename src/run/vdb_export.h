#pragma once

#include "run/frame.h"
#include "scene/scene.h"

#include <filesystem>

namespace rivulet {

/// Liquid of a frame as OpenVDB grids: "surface" (level set on half cells), "density" and "velocity" (on cells).
void write_frame_vdb(const std::filesystem::path& path, const Scene& scene, const Frame& frame);

} // namespace rivulet
