#include "render/caustics.h"

#include "base/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

constexpr int kLongSide = 300;  // cells
constexpr int kRaysPerCell = 2; // along each side
constexpr int kMaxCrossings = 8;

} // namespace

CausticMap::CausticMap(const SceneAccel& accel, const Sky& sky, const Eigen::AlignedBox3f& bounds, float contact_gap)
{
    const Vec3f& to_sun = sky.sun_direction();
    if (bounds.isEmpty() || !accel.has_ground() || !sky.has_sun() || to_sun.z() < 0.1f) return;
    ground_ = accel.ground_height();
    const float height = bounds.max().z() - ground_;
    if (!(height > 0)) return;
    // All that the liquid can shade: its outline, and its outline moved to where the highest point's shadow falls.
    const Eigen::Array2f shift = -to_sun.head<2>().array() * (height / to_sun.z());
    const Eigen::Array2f low = bounds.min().head<2>().array(), high = bounds.max().head<2>().array();
    const float margin = 0.02f * (high - low).maxCoeff();
    lower_ = low.min(low + shift) - margin;
    const Eigen::Array2f extent = high.max(high + shift) + margin - lower_;
    edge_ = extent.maxCoeff() / kLongSide;
    nx_ = std::max(1, static_cast<int>(std::ceil(extent.x() / edge_)));
    ny_ = std::max(1, static_cast<int>(std::ceil(extent.y() / edge_)));
    cells_.assign(static_cast<std::size_t>(nx_) * static_cast<std::size_t>(ny_), Rgb::Zero());

    const int rays_x = nx_ * kRaysPerCell, rays_y = ny_ * kRaysPerCell;
    std::vector<Landing> landings(static_cast<std::size_t>(rays_x) * static_cast<std::size_t>(rays_y));
    const float reach = 1.5f * height / to_sun.z() + 1;
    parallel_for(rays_y, "caustics", [&](std::int64_t j) {
        for (int i = 0; i < rays_x; ++i) {
            const std::size_t ray =
                static_cast<std::size_t>(j) * static_cast<std::size_t>(rays_x) + static_cast<std::size_t>(i);
            const Vec3f aim(lower_.x() + (static_cast<float>(i) + 0.5f) * edge_ / kRaysPerCell,
                            lower_.y() + (static_cast<float>(j) + 0.5f) * edge_ / kRaysPerCell, ground_);
            landings[ray] = follow(accel, aim + reach * to_sun, -to_sun, contact_gap);
        }
    });
    for (const Landing& landing : landings) deposit(landing, to_sun.z() / (kRaysPerCell * kRaysPerCell));
    for (Rgb& c : cells_) c *= sky.sun_irradiance();
    blur();
}

CausticMap::Landing CausticMap::follow(const SceneAccel& accel, Vec3f origin, Vec3f direction, float contact_gap) const
{
    Landing landing;
    Rgb light = Rgb::Ones();
    bool wet = false, inside = false;
    Rgb colour = Rgb::Ones();
    float distance = 1;
    SurfaceHit hit;
    for (int crossing = 0; crossing < kMaxCrossings; ++crossing) {
        if (!accel.intersect(origin, direction, 0, std::numeric_limits<float>::infinity(), hit)) return landing;
        if (inside) light *= transmittance(colour, distance, hit.distance);
        const bool liquid = hit.is(Surface::Liquid);
        const bool leaves = liquid && hit.face_normal.dot(direction) > 0;
        // The bottom of liquid that rests on the ground is no surface.
        const bool rests = leaves && hit.position.z() - ground_ < contact_gap && direction.z() < 0;
        if (hit.kind == SurfaceHit::Kind::Ground || rests) {
            if (!wet) return landing;
            return {hit.position.x(), hit.position.y(), light};
        }
        if (hit.is(Surface::Glass)) {
            light *= hit.colour;
        } else if (liquid) {
            const Vec3f normal = leaves ? Vec3f(-hit.shading_normal) : hit.shading_normal;
            const float index = hit.material->refractive_index, ratio = leaves ? index : 1 / index;
            const float cosine = -normal.dot(direction);
            Vec3f bent;
            if (!(cosine > 0)) return landing;
            inside = !leaves;
            if (refract(direction, normal, ratio, bent)) {
                light *= 1 - fresnel_reflectance(cosine, ratio);
                direction = bent;
            } else { // totally reflected: stays in the liquid
                direction = reflect(direction, normal).normalized();
                inside = true;
            }
            wet = true;
            colour = hit.colour;
            distance = hit.material->absorption_distance;
        } else {
            return landing;
        }
        origin = hit.position + accel.epsilon() * direction;
    }
    return landing;
}

void CausticMap::deposit(const Landing& landing, float weight)
{
    const float x = (landing.x - lower_.x()) / edge_ - 0.5f, y = (landing.y - lower_.y()) / edge_ - 0.5f;
    const float i0 = std::floor(x), j0 = std::floor(y);
    if (!(i0 >= 0 && j0 >= 0 && i0 + 1 < static_cast<float>(nx_) && j0 + 1 < static_cast<float>(ny_))) return;
    const int i = static_cast<int>(i0), j = static_cast<int>(j0);
    const float u = x - i0, v = y - j0;
    cell(i, j) += weight * (1 - u) * (1 - v) * landing.light;
    cell(i + 1, j) += weight * u * (1 - v) * landing.light;
    cell(i, j + 1) += weight * (1 - u) * v * landing.light;
    cell(i + 1, j + 1) += weight * u * v * landing.light;
}

void CausticMap::blur()
{
    const auto along = [&](int di, int dj) {
        std::vector<Rgb> smooth(cells_.size());
        for (int j = 0; j < ny_; ++j)
            for (int i = 0; i < nx_; ++i) {
                const Rgb& before = cell(std::max(0, i - di), std::max(0, j - dj));
                const Rgb& after = cell(std::min(nx_ - 1, i + di), std::min(ny_ - 1, j + dj));
                smooth[static_cast<std::size_t>(j * nx_ + i)] = 0.25f * (before + after) + 0.5f * cell(i, j);
            }
        cells_.swap(smooth);
    };
    for (int pass = 0; pass < 2; ++pass) {
        along(1, 0);
        along(0, 1);
    }
}

bool CausticMap::covers(const Vec3f& p) const noexcept
{
    return !cells_.empty() && p.x() > lower_.x() && p.y() > lower_.y() &&
           p.x() < lower_.x() + edge_ * static_cast<float>(nx_) && p.y() < lower_.y() + edge_ * static_cast<float>(ny_);
}

Rgb CausticMap::irradiance(const Vec3f& p) const noexcept
{
    const float x = std::clamp((p.x() - lower_.x()) / edge_ - 0.5f, 0.0f, static_cast<float>(nx_ - 1));
    const float y = std::clamp((p.y() - lower_.y()) / edge_ - 0.5f, 0.0f, static_cast<float>(ny_ - 1));
    const int i = std::min(static_cast<int>(x), std::max(0, nx_ - 2)),
              j = std::min(static_cast<int>(y), std::max(0, ny_ - 2));
    const int i1 = std::min(i + 1, nx_ - 1), j1 = std::min(j + 1, ny_ - 1);
    const float u = x - static_cast<float>(i), v = y - static_cast<float>(j);
    return (1 - v) * ((1 - u) * cell(i, j) + u * cell(i1, j)) + v * ((1 - u) * cell(i, j1) + u * cell(i1, j1));
}

} // namespace rivulet
