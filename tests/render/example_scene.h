#pragma once

#include "base/rng.h"
#include "render/renderer.h"

#include <algorithm>
#include <cmath>

namespace rivulet::testing {

/// Closed block of liquid on [0, 1.2] x [0, 0.8] m with a wavy top; `n` cells along x.
inline TriangleMesh wavy_block(int n)
{
    const int m = 2 * n / 3;
    const auto height = [](double x, double y) {
        const double r = std::hypot(x - 0.8, y - 0.4);
        return 0.26 + 0.05 * std::cos(5 * x + 1.5 * y) + 0.028 * std::cos(30 * r) * std::exp(-3 * r) +
               0.008 * std::sin(17 * x - 9 * y);
    };
    TriangleMesh mesh;
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j <= m; ++j)
            for (int i = 0; i <= n; ++i) {
                const double x = 1.2 * i / n, y = 0.8 * j / m;
                mesh.vertices.emplace_back(x, y, side == 0 ? height(x, y) : 0.004);
            }
    const int bottom = (n + 1) * (m + 1);
    const auto quad = [&](int a, int b, int c, int d) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
    };
    for (int j = 0; j < m; ++j)
        for (int i = 0; i < n; ++i) {
            const int a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
            quad(a, b, c, d);
            quad(bottom + a, bottom + d, bottom + c, bottom + b);
        }
    for (int i = 0; i < n; ++i) {
        quad(bottom + i, bottom + i + 1, i + 1, i);
        const int k = m * (n + 1) + i;
        quad(bottom + k + 1, bottom + k, k, k + 1);
    }
    for (int j = 0; j < m; ++j) {
        const int a = j * (n + 1), b = a + n;
        quad(bottom + a + n + 1, bottom + a, a, a + n + 1);
        quad(bottom + b, bottom + b + n + 1, b + n + 1, b);
    }
    return mesh;
}

/// Curved strands that stand on a small disc, wet in their lower half.
inline CurveDrawable tuft(const Vec3& root, int n_strands)
{
    constexpr int kVertices = 12;
    CurveDrawable curves;
    curves.radii = {0.0012};
    for (int s = 0; s < n_strands; ++s) {
        const auto stream = static_cast<std::uint64_t>(s);
        const double angle = 2 * M_PI * random_unit(1, stream, 0), r = 0.05 * std::sqrt(random_unit(1, stream, 1));
        const double length = 0.30 + 0.08 * random_unit(1, stream, 2);
        const Vec3 outward(std::cos(angle), std::sin(angle), 0);
        curves.starts.push_back(static_cast<int>(curves.vertices.size()));
        for (int v = 0; v < kVertices; ++v) {
            const double t = static_cast<double>(v) / (kVertices - 1);
            const Vec3 bend = 2.4 * r * t * t * outward + 0.006 * std::sin(9 * t + 6 * angle) * Vec3::UnitX();
            curves.vertices.push_back(root + r * outward + bend + length * t * (1 - 0.25 * t) * Vec3::UnitZ());
            curves.colours.emplace_back(0.62, 0.38, 0.16);
            curves.wetness.push_back(std::clamp(1.6 - 2.4 * t, 0.0, 1.0));
        }
    }
    return curves;
}

/// Water with waves around a ball, drops in the air, and a tuft beside it; `n` cells along the water's length.
inline RenderScene example_scene(int n)
{
    RenderScene scene;
    scene.domain = {Vec3(0, 0, 0), Vec3(1.2, 0.8, 0.6)};
    scene.contact_gap = 0.01;
    Material water;
    water.surface = Surface::Liquid;
    water.colour = {0.1, 0.3, 0.6};
    scene.meshes.push_back({wavy_block(n), water});

    SphereDrawable ball;
    ball.centres = {Vec3(0.8, 0.4, 0.24)};
    ball.radii = {0.14};
    ball.material.colour = {0.75, 0.22, 0.10};
    scene.spheres.push_back(ball);

    SphereDrawable drops;
    drops.material = water;
    for (std::uint64_t i = 0; i < 120; ++i) {
        const double angle = 2 * M_PI * random_unit(2, i, 0), r = 0.16 + 0.16 * random_unit(2, i, 1);
        drops.centres.emplace_back(0.8 + r * std::cos(angle), 0.4 + r * std::sin(angle),
                                   0.38 + 0.2 * random_unit(2, i, 2) * (1 - 2 * std::abs(r - 0.24)));
        drops.radii.push_back(0.003 + 0.008 * std::pow(random_unit(2, i, 3), 2));
    }
    scene.spheres.push_back(drops);
    scene.curves.push_back(tuft(Vec3(0.25, 0.3, 0.1), 400));
    return scene;
}

} // namespace rivulet::testing
