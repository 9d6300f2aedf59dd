#pragma once

#include "render/accel.h"
#include "render/sky.h"

#include <vector>

namespace rivulet {

/// Sunlight that reaches the ground through liquid, bent by its surface: a grid of rays is sent down from the sun and
/// gathered where they land. Built once a picture, the same on any number of threads.
class CausticMap {
public:
    /// `bounds` of the liquid in the renderer's units; without liquid, sun or ground the map is empty.
    CausticMap(const SceneAccel& accel, const Sky& sky, const Eigen::AlignedBox3f& bounds, float contact_gap);

    /// Whether the map knows the light at this point of the ground.
    [[nodiscard]] bool covers(const Vec3f& position) const noexcept;
    /// Irradiance of the ground by light that came through liquid.
    [[nodiscard]] Rgb irradiance(const Vec3f& position) const noexcept;

private:
    /// Where a ray from the sun lands and what it still carries; nothing when it met no liquid or not the ground.
    struct Landing {
        float x = 0, y = 0;
        Rgb light = Rgb::Zero();
    };
    [[nodiscard]] Landing follow(const SceneAccel& accel, Vec3f origin, Vec3f direction, float contact_gap) const;
    void deposit(const Landing& landing, float weight);
    void blur();
    [[nodiscard]] Rgb& cell(int i, int j) { return cells_[static_cast<std::size_t>(j * nx_ + i)]; }
    [[nodiscard]] const Rgb& cell(int i, int j) const { return cells_[static_cast<std::size_t>(j * nx_ + i)]; }

    int nx_ = 0, ny_ = 0;
    float edge_ = 1, ground_ = 0;
    Eigen::Array2f lower_ = Eigen::Array2f::Zero();
    std::vector<Rgb> cells_; ///< irradiance
};

} // namespace rivulet
