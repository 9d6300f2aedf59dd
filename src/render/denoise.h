#pragma once

#include "render/optics.h"

#include <vector>

namespace rivulet {

/// A rendered picture before tone mapping, with what guides the denoiser. Rows from the top.
struct RadianceImage {
    int width = 0, height = 0;
    std::vector<Rgb> radiance;   ///< mean over the samples of a pixel
    std::vector<float> variance; ///< of the mean's luminance
    std::vector<Rgb> albedo;
    std::vector<Vec3f> normal;
    std::vector<float> inverse_distance;

    RadianceImage(int width_pixels, int height_pixels);
};

/// Smooths noise, keeps edges: a few passes of a 5 x 5 filter with growing holes [Dammertz 2010] whose weights fall
/// with differences of albedo, normal and distance, and with differences of luminance beyond the expected noise
/// [Schied 2017].
[[nodiscard]] std::vector<Rgb> denoise(const RadianceImage& image);

} // namespace rivulet
