#pragma once

#include "wetting/film_section.h"
#include "wetting/strand_film.h"

#include <functional>
#include <numbers>
#include <vector>

namespace rivulet {

/// A straight strand with its film, for tests.
struct WetStrand {
    double radius = 5e-5;
    double strand_density = 1300;
    std::vector<std::int32_t> first;
    std::vector<double> radii;
    std::vector<Vec3> position, acceleration, velocity, due, owed, lift, drawn;
    std::vector<double> strand_mass, strand_inertia, volume, flow, spin, exposure, sliding;
    std::vector<double> scale; ///< as FilmStrands::scale
    std::vector<FilmOutcome> outcome;
    int parts = 1; ///< of edges, on the film's mesh; of which volume, flow, due and drawn are

    /// n vertices from `root` over `reach`; `thickness` [m] over the arclength [m].
    WetStrand(int n, const Vec3& root, const Vec3& reach, double r, const std::function<double(double)>& thickness)
        : radius(r), first{0, n}, radii{r}, outcome(1)
    {
        const auto count = static_cast<std::size_t>(n);
        const double l = reach.norm() / (n - 1);
        for (auto* array : {&flow, &spin}) array->assign(count, 0.0);
        velocity.assign(count, Vec3::Zero());
        for (int i = 0; i < n; ++i) {
            const double length = i == 0 || i == n - 1 ? 0.5 * l : l;
            position.push_back(root + reach * (static_cast<double>(i) / (n - 1)));
            volume.push_back(film_area(thickness(l * i), r) * length);
            strand_mass.push_back(strand_density * std::numbers::pi * r * r * length);
            strand_inertia.push_back(0.5 * strand_density * std::numbers::pi * r * r * r * r * l);
        }
    }

    [[nodiscard]] FilmStrands strands() const
    {
        return {first, radii,    position, acceleration, strand_mass, strand_inertia, due,
                lift,  exposure, drawn,    sliding,      parts,       scale};
    }
    /// Gives a single strand's film a mesh of its own, on which it is as even about each vertex as it was.
    void refine(int k)
    {
        const std::vector<double> of_vertices = volume, of_edges = flow;
        const std::size_t n = of_vertices.size(), size = (n - 1) * static_cast<std::size_t>(k) + 1;
        parts = k;
        volume.assign(size, 0.0);
        flow.assign(size, 0.0);
        for (std::size_t j = 0; j < size; ++j) {
            const std::size_t v = owner(j);
            const double half = v == 0 || v + 1 == n ? 0.5 : 1, here = j == 0 || j + 1 == size ? 0.5 : 1;
            volume[j] = of_vertices[v] / half * here / k;
            if (j + 1 < size) flow[j] = of_edges[j / static_cast<std::size_t>(k)];
        }
    }
    /// Makes the strand thinner, evenly to this part of its radius at the last vertex; its mass and liquid stay.
    void taper(double tip)
    {
        for (std::size_t v = 0; v < position.size(); ++v)
            scale.push_back(1 + (tip - 1) * static_cast<double>(v) / static_cast<double>(position.size() - 1));
    }
    /// Radius of the strand at a vertex of the mesh [m].
    [[nodiscard]] double radius_at(std::size_t j) const
    {
        const double last = static_cast<double>(position.size() - 1) * parts;
        return scale.empty() ? radius : radius * (1 + (scale.back() - 1) * static_cast<double>(j) / last);
    }
    /// The vertex of the strand that one of the mesh belongs to, and where that is.
    [[nodiscard]] std::size_t owner(std::size_t j) const
    {
        return (j + static_cast<std::size_t>(parts / 2)) / static_cast<std::size_t>(parts);
    }
    [[nodiscard]] Vec3 place(std::size_t j) const
    {
        const auto k = static_cast<std::size_t>(parts);
        if (j % k == 0) return position[j / k];
        return position[j / k] + (position[j / k + 1] - position[j / k]) * (static_cast<double>(j % k) / parts);
    }
    [[nodiscard]] FilmState state() { return {volume, flow, velocity, spin, owed}; }
    const FilmOutcome& advance(const FilmStep& step)
    {
        step_films(strands(), step, state(), outcome);
        return outcome[0];
    }
    [[nodiscard]] double total() const
    {
        double sum = 0;
        for (const double v : volume) sum += v;
        return sum;
    }
    /// Of the liquid [m].
    [[nodiscard]] Vec3 centre() const
    {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < volume.size(); ++i) sum += volume[i] * place(i);
        return sum / total();
    }
    [[nodiscard]] double thickness(std::size_t i) const
    {
        const double l = (position[1] - position[0]).norm();
        return film_thickness(volume[i] / (i == 0 || i + 1 == volume.size() ? 0.5 * l : l), radius);
    }
};

/// A drop of this height and width about the arclength x_0.
inline std::function<double(double)> drop(double height, double x_0, double width)
{
    return [=](double x) {
        return std::abs(x - x_0) < width ? height * std::pow(std::cos(0.5 * std::numbers::pi * (x - x_0) / width), 2)
                                         : 0.0;
    };
}

} // namespace rivulet
