#include "render/denoise.h"

#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rivulet {
namespace {

constexpr int kPasses = 4;
constexpr std::array<float, 5> kKernel{1.0f / 16, 1.0f / 4, 3.0f / 8, 1.0f / 4, 1.0f / 16};

struct Pass {
    const RadianceImage& features;
    const std::vector<Rgb>& colour;
    const std::vector<float>& variance;
    int step;
};

std::size_t index(const RadianceImage& image, int x, int y)
{
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x);
}

/// Variance blurred over 3 x 3 pixels: that of one pixel is itself too noisy to judge by.
float local_variance(const Pass& pass, int x, int y)
{
    float sum = 0, weight = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const int qx = x + dx, qy = y + dy;
            if (qx < 0 || qy < 0 || qx >= pass.features.width || qy >= pass.features.height) continue;
            const float w = (dx == 0 ? 2.0f : 1.0f) * (dy == 0 ? 2.0f : 1.0f);
            sum += w * pass.variance[index(pass.features, qx, qy)];
            weight += w;
        }
    return sum / weight;
}

/// Weight of pixel q in the mean of pixel p; `noise` is the expected difference of their luminances.
float edge_weight(const Pass& pass, std::size_t p, std::size_t q, float noise)
{
    const RadianceImage& f = pass.features;
    const float luma = std::abs(luminance(pass.colour[p]) - luminance(pass.colour[q])) / noise;
    const float albedo = (f.albedo[p] - f.albedo[q]).square().sum() / 0.003f;
    const float normal = (f.normal[p] - f.normal[q]).squaredNorm() / 0.02f;
    const float depth_p = f.inverse_distance[p], depth_q = f.inverse_distance[q];
    const float depth = std::abs(depth_p - depth_q) / (0.02f * std::max(depth_p, depth_q) + 1e-6f);
    return std::exp(-luma - albedo - normal - depth);
}

void filter_pixel(const Pass& pass, int x, int y, Rgb& colour, float& variance)
{
    const std::size_t p = index(pass.features, x, y);
    const float noise = 3 * std::sqrt(local_variance(pass, x, y)) + 1e-4f;
    Rgb sum = Rgb::Zero();
    float total = 0, variance_sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
            const int qx = x + dx * pass.step, qy = y + dy * pass.step;
            if (qx < 0 || qy < 0 || qx >= pass.features.width || qy >= pass.features.height) continue;
            const std::size_t q = index(pass.features, qx, qy);
            const float kernel = kKernel[static_cast<std::size_t>(dx + 2)] * kKernel[static_cast<std::size_t>(dy + 2)];
            const float w = kernel * (p == q ? 1 : edge_weight(pass, p, q, noise));
            sum += w * pass.colour[q];
            variance_sum += w * w * pass.variance[q];
            total += w;
        }
    colour = sum / total;
    variance = variance_sum / (total * total);
}

} // namespace

RadianceImage::RadianceImage(int width_pixels, int height_pixels) : width(width_pixels), height(height_pixels)
{
    const std::size_t n = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    radiance.assign(n, Rgb::Zero());
    variance.assign(n, 0);
    albedo.assign(n, Rgb::Zero());
    normal.assign(n, Vec3f::Zero());
    inverse_distance.assign(n, 0);
}

std::vector<Rgb> denoise(const RadianceImage& image)
{
    std::vector<Rgb> colour = image.radiance, next_colour(colour.size());
    std::vector<float> variance = image.variance, next_variance(variance.size());
    for (int pass = 0; pass < kPasses; ++pass) {
        const Pass task{image, colour, variance, 1 << pass};
        parallel_for(image.height, "denoise", [&](std::int64_t y) {
            for (int x = 0; x < image.width; ++x) {
                const std::size_t p = index(image, x, static_cast<int>(y));
                filter_pixel(task, x, static_cast<int>(y), next_colour[p], next_variance[p]);
            }
        });
        std::swap(colour, next_colour);
        std::swap(variance, next_variance);
    }
    return colour;
}

} // namespace rivulet
