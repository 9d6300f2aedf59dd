#include "bench.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "grid/bspline.h"
#include "grid/collocated.h"
#include "grid/transfer.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <string>

namespace rivulet {
namespace {

/// A cube of n^3 full cells of size 1, particles in the order of their cells.
struct Cube {
    std::vector<Vec3> position, velocity;
    std::vector<Mat3> affine;
    std::vector<double> mass, density{1};
    TileGrid grid;
    ParticleOrder order;

    explicit Cube(int n)
    {
        std::uint64_t counter = 0;
        const auto uniform = [&] { return random_unit(3, 1, counter++); };
        for (int cell = 0; cell < n * n * n; ++cell)
            for (int p = 0; p < 8; ++p)
                position.emplace_back(cell % n + uniform(), cell / n % n + uniform(), cell / (n * n) + uniform());
        grid = tiles_around(position, Vec3::Zero(), 1, 3);
        sort_particles(grid, position, order);
        std::vector<Vec3> sorted(position.size());
        for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = position[static_cast<std::size_t>(order.order[i])];
        position = sorted;
        sort_particles(grid, position, order);
        velocity.assign(position.size(), Vec3(1, 2, 3));
        affine.assign(position.size(), Mat3::Identity());
        mass.assign(position.size(), 1);
    }
    [[nodiscard]] ParticleInput input() const { return {position, velocity, affine, mass, {}, density}; }
    [[nodiscard]] double millions() const { return static_cast<double>(position.size()) / 1e6; }
};

/// A dense staggered grid around the cube: the reference needs no tiles.
struct DenseFaces {
    static constexpr int kBorder = 3;
    int edge;
    std::array<std::vector<double>, 3> velocity, mass;

    explicit DenseFaces(int n) : edge(n + 2 * kBorder)
    {
        for (std::size_t a = 0; a < 3; ++a) {
            velocity[a].assign(static_cast<std::size_t>(edge) * edge * edge, 0);
            mass[a] = velocity[a];
        }
    }
};

/// Calls body(face index, weight, node - x) for the 27 faces of one axis around a point: the plainest way to say it.
template <class Body>
void for_faces(const DenseFaces& faces, int axis, const Vec3& x, Body&& body)
{
    BSplineWeights w[3];
    for (int a = 0; a < 3; ++a) w[a] = quadratic_bspline(x[a] + DenseFaces::kBorder - (a == axis ? 0 : 0.5));
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i) {
                const double d[3] = {i - w[0].offset, j - w[1].offset, k - w[2].offset}; // no Vec3: slower by far
                body(static_cast<std::size_t>(w[0].first + i +
                                              faces.edge * (w[1].first + j + faces.edge * (w[2].first + k))),
                     w[0].w[i] * w[1].w[j] * w[2].w[k], d);
            }
}

void plain_to_faces(const Cube& cube, DenseFaces& faces)
{
    for (std::size_t a = 0; a < 3; ++a) {
        std::fill(faces.velocity[a].begin(), faces.velocity[a].end(), 0.0);
        std::fill(faces.mass[a].begin(), faces.mass[a].end(), 0.0);
    }
    for (std::size_t p = 0; p < cube.position.size(); ++p)
        for (int a = 0; a < 3; ++a) {
            const auto axis = static_cast<std::size_t>(a);
            const Mat3& c = cube.affine[p];
            const double gradient[3] = {c(a, 0), c(a, 1), c(a, 2)};
            const double mass = cube.mass[p], velocity = cube.velocity[p][a];
            for_faces(faces, a, cube.position[p], [&](std::size_t face, double w, const double(&d)[3]) {
                faces.mass[axis][face] += w * mass;
                faces.velocity[axis][face] +=
                    w * mass * (velocity + gradient[0] * d[0] + gradient[1] * d[1] + gradient[2] * d[2]);
            });
        }
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t f = 0; f < faces.mass[a].size(); ++f)
            if (faces.mass[a][f] > 0) faces.velocity[a][f] /= faces.mass[a][f];
}

void plain_to_particles(Cube& cube, const DenseFaces& faces)
{
    for (std::size_t p = 0; p < cube.position.size(); ++p)
        for (int a = 0; a < 3; ++a) {
            double value = 0;
            double moment[3] = {0, 0, 0};
            for_faces(faces, a, cube.position[p], [&](std::size_t face, double w, const double(&d)[3]) {
                const double u = w * faces.velocity[static_cast<std::size_t>(a)][face];
                value += u;
                for (int b = 0; b < 3; ++b) moment[b] += u * d[b];
            });
            cube.velocity[p][a] = value;
            for (int b = 0; b < 3; ++b) cube.affine[p](a, b) = 4 * moment[b];
        }
}

/// The reference with all components on the same nodes, in float.
struct DenseNodes {
    int edge;
    std::vector<NodeMotion<float>> node;

    explicit DenseNodes(int n) : edge(n + 2 * DenseFaces::kBorder), node(static_cast<std::size_t>(edge) * edge * edge)
    {
    }
};

/// Calls body(node, weight, node - x) for the 27 nodes around a point.
template <class Body>
void for_nodes(DenseNodes& nodes, const Vec3& x, Body&& body)
{
    BSplineWeights w[3];
    for (int a = 0; a < 3; ++a) w[a] = quadratic_bspline(x[a] + DenseFaces::kBorder - 0.5);
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i) {
                const float d[3] = {static_cast<float>(i - w[0].offset), static_cast<float>(j - w[1].offset),
                                    static_cast<float>(k - w[2].offset)};
                body(nodes.node[static_cast<std::size_t>(
                         w[0].first + i + nodes.edge * (w[1].first + j + nodes.edge * (w[2].first + k)))],
                     static_cast<float>(w[0].w[i] * w[1].w[j] * w[2].w[k]), d);
            }
}

void plain_to_nodes(const Cube& cube, const std::vector<PointMotion<float>>& points, DenseNodes& nodes)
{
    std::fill(nodes.node.begin(), nodes.node.end(), NodeMotion<float>{});
    for (std::size_t p = 0; p < points.size(); ++p) {
        const PointMotion<float>& m = points[p];
        for_nodes(nodes, cube.position[p], [&](NodeMotion<float>& node, float w, const float(&d)[3]) {
            node.mass += w * m.mass;
            for (int a = 0; a < 3; ++a)
                node.velocity[a] +=
                    w * m.mass *
                    (m.velocity[a] + m.affine[0][a] * d[0] + m.affine[1][a] * d[1] + m.affine[2][a] * d[2]);
        });
    }
    for (NodeMotion<float>& node : nodes.node)
        if (node.mass > 0)
            for (float& u : node.velocity) u /= node.mass;
}

void plain_from_nodes(const Cube& cube, DenseNodes& nodes, std::vector<PointMotion<float>>& points)
{
    for (std::size_t p = 0; p < points.size(); ++p) {
        PointMotion<float>& m = points[p];
        const float mass = m.mass;
        m = {};
        m.mass = mass;
        for_nodes(nodes, cube.position[p], [&](const NodeMotion<float>& node, float w, const float(&d)[3]) {
            for (int a = 0; a < 3; ++a) {
                const float u = w * node.velocity[a];
                m.velocity[a] += u;
                for (int b = 0; b < 3; ++b) m.affine[b][a] += 4 * u * d[b];
            }
        });
    }
}

/// Against plain loops; to inform, since what a compiler makes of those is no measure (add_against_core has the bars).
BenchFigure rate_figure(const std::string& name, double millions, double seconds, double reference_seconds)
{
    return {name, millions / seconds, "M/s", millions / reference_seconds, reference_seconds / seconds, 0, true};
}

constexpr int kReferenceRepeats = 3;
constexpr int kRepeats = 7;

constexpr int kSums = 10;

/// s = 0.999 s + 0.001, so many times. A function of its own: inlined, the compiler runs out of registers, and the sums
/// wait for memory.
[[gnu::noinline]] void multiply_and_add(__m256 (&sum)[kSums], int times)
{
    const __m256 factor = _mm256_set1_ps(0.999f), step = _mm256_set1_ps(0.001f);
    __m256 own[kSums];
    std::copy_n(sum, kSums, own);
    for (int round = 0; round < times; ++round)
#pragma GCC unroll 10
        for (int n = 0; n < kSums; ++n) own[n] = _mm256_fmadd_ps(own[n], factor, step);
    std::copy_n(own, kSums, sum);
}

/// Multiplications with additions of floats that this core is capable of, in vectors of eight [10^9 operations a
/// second, two for each]: ten sums that do not wait for each other.
double fma_rate()
{
    constexpr int kTimes = 2'000'000;
    __m256 sum[kSums];
    for (int n = 0; n < kSums; ++n) sum[n] = _mm256_set1_ps(static_cast<float>(n));
    const double seconds = best_seconds(kRepeats, cpu_seconds_now, [&] { multiply_and_add(sum, kTimes); });
    float used = 0; // or the compiler would leave it all out
    for (const __m256& s : sum) used += _mm256_cvtss_f32(s);
    return used > 0 ? 1e-9 * 2 * 8 * kSums * kTimes / seconds : 0;
}

/// Adds the rate of a kernel against what is asked of it on a core of 103 billion operations a second, scaled to what
/// this one was just measured to be capable of.
void add_against_core(const std::string& kernel, double asked, double fma, std::vector<BenchFigure>& figures)
{
    constexpr double kCore = 103;
    const auto found =
        std::find_if(figures.begin(), figures.end(), [&](const BenchFigure& f) { return f.bench == kernel; });
    const double reference = asked * fma / kCore, ratio = found->value / reference;
    figures.push_back({kernel + "_of_core", found->value, "M/s", reference, ratio, 1, ratio >= 1});
}

/// The staggered kernels of the simulation, in double and in float.
void bench_staggered(Cube& cube, FaceFields& faces, DenseFaces& dense, std::vector<BenchFigure>& figures)
{
    const double to_grid = best_seconds(kReferenceRepeats, cpu_seconds_now, [&] { plain_to_faces(cube, dense); });
    const double back = best_seconds(kReferenceRepeats, cpu_seconds_now, [&] { plain_to_particles(cube, dense); });
    for (const auto precision : {TransferPrecision::Double, TransferPrecision::Float}) {
        const std::string suffix = precision == TransferPrecision::Double ? "" : "_float";
        const double grid_ours = best_seconds(kRepeats, cpu_seconds_now, [&] {
            particles_to_faces(cube.grid, cube.order, cube.input(), faces, precision);
        });
        const double back_ours = best_seconds(kRepeats, cpu_seconds_now, [&] {
            faces_to_particles(cube.grid, cube.order, faces.velocity, cube.position, cube.velocity, cube.affine,
                               precision);
        });
        figures.push_back(rate_figure("transfers_to_grid" + suffix, cube.millions(), grid_ours, to_grid));
        figures.push_back(rate_figure("transfers_to_particles" + suffix, cube.millions(), back_ours, back));
    }
}

/// The collocated kernels in float and in double; both against plain loops in float.
void bench_collocated(const Cube& cube, int edge, std::vector<BenchFigure>& figures)
{
    const auto points_in = [&]<class Real>(Real) {
        return std::vector<PointMotion<Real>>(cube.position.size(),
                                              {{1, 2, 3}, 1, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
    };
    auto points = points_in(1.0f);
    DenseNodes dense(edge);
    const double to_grid =
        best_seconds(kReferenceRepeats, cpu_seconds_now, [&] { plain_to_nodes(cube, points, dense); });
    const double back =
        best_seconds(kReferenceRepeats, cpu_seconds_now, [&] { plain_from_nodes(cube, dense, points); });
    const auto measure = [&]<class Real>(Real one, const std::string& suffix) {
        auto motion = points_in(one);
        std::vector<NodeMotion<Real>> nodes;
        const double grid_ours = best_seconds(kRepeats, cpu_seconds_now, [&] {
            particles_to_nodes<Real>(cube.grid, cube.order, cube.position, motion, nodes);
        });
        const double back_ours = best_seconds(kRepeats, cpu_seconds_now, [&] {
            nodes_to_particles<Real>(cube.grid, cube.order, nodes, cube.position, motion);
        });
        figures.push_back(rate_figure("collocated_to_grid" + suffix, cube.millions(), grid_ours, to_grid));
        figures.push_back(rate_figure("collocated_to_particles" + suffix, cube.millions(), back_ours, back));
    };
    measure(1.0f, "_float");
    measure(1.0, "_double");
}

} // namespace

std::vector<BenchFigure> bench_transfers(bool full)
{
    std::vector<BenchFigure> figures;
    constexpr int kEdge = 50;
    Cube cube(kEdge);
    FaceFields faces;
    DenseFaces dense(kEdge);
    const auto to_grid = [&] { particles_to_faces(cube.grid, cube.order, cube.input(), faces); };
    const auto to_particles = [&] {
        faces_to_particles(cube.grid, cube.order, faces.velocity, cube.position, cube.velocity, cube.affine);
    };
    double wall_one = 0;
    {
        const ThreadPool pool(1);
        bench_staggered(cube, faces, dense, figures);
        bench_collocated(cube, kEdge, figures);
        const double fma = fma_rate();
        figures.push_back({"transfers_core", fma, "GFLOP/s", 0, 0, 0, true});
        add_against_core("transfers_to_grid_float", 18, fma, figures);
        add_against_core("transfers_to_particles_float", 33, fma, figures);
        add_against_core("collocated_to_grid_float", 70, fma, figures);
        add_against_core("collocated_to_particles_float", 75, fma, figures);
        wall_one = best_seconds(kRepeats, wall_seconds_now, [&] {
            to_grid();
            to_particles();
        });
    }
    {
        const ThreadPool pool(2);
        const double wall_two = best_seconds(kRepeats, wall_seconds_now, [&] {
            to_grid();
            to_particles();
        });
        figures.push_back(
            {"transfers_two_threads", wall_two, "s", wall_one, wall_one / wall_two, 1.75, wall_one / wall_two >= 1.75});
    }
    if (full) {
        const ThreadPool pool(1);
        const double small = best_seconds(5, cpu_seconds_now, to_grid) / cube.millions();
        cube = Cube(108);
        const double large = best_seconds(3, cpu_seconds_now, to_grid) / cube.millions();
        figures.push_back(
            {"transfers_ten_times_the_size", large, "s/M", small, small / large, 0.9, small / large >= 0.9});
    }
    return figures;
}

} // namespace rivulet
