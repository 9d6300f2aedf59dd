#pragma once

#include "io/image.h"
#include "render/denoise.h"
#include "render/scene.h"
#include "render/settings.h"

namespace rivulet {

/// The picture of a scene: path traced, denoised, tone mapped. The same bytes on any number of threads. Raises
/// InputError for a scene or settings that cannot be drawn.
[[nodiscard]] Image render(const RenderScene& scene, const RenderSettings& settings);

/// Radiance before denoising and tone mapping.
[[nodiscard]] RadianceImage render_radiance(const RenderScene& scene, const RenderSettings& settings);

/// Tone mapping and gamma: linear radiance to 8-bit pixels.
[[nodiscard]] Image develop(const std::vector<Rgb>& radiance, int width, int height, double exposure);

} // namespace rivulet
