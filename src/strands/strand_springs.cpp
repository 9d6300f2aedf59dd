#include "strands/strand_springs.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace rivulet {
namespace {

/// Batches a task.
constexpr std::int64_t kSpringGrain = 8;

Lane four(double x, double y, double z, double w) { return Lane{x, y, z, w}; }

/// Displacements of the vertices of one strand out of those of four.
void take_strand(std::span<const Lane> u, int lane, AlignedVector<Lane>& at)
{
    at.resize((u.size() + 1) / 4);
    for (std::size_t v = 0; v < at.size(); ++v) at[v] = four(u[4 * v][lane], u[4 * v + 1][lane], u[4 * v + 2][lane], 0);
}

double inner(std::span<const Lane> x, std::span<const Lane> y)
{
    Lane sums{};
    for (std::size_t j = 0; j < x.size(); ++j) sums += x[j] * y[j];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

} // namespace

StrandCompliance::~StrandCompliance() = default;

SpringBodies* StrandCompliance::with_springs(std::span<const Vec3> normal, std::span<const double> stiffness)
{
    if (!springs_) springs_ = std::make_unique<Springs>(*this);
    springs_->factor(normal, stiffness);
    return springs_.get();
}

void StrandCompliance::add_found(std::span<Vec3> displacement, std::span<double> spin) const
{
    RIVULET_VERIFY(springs_);
    for (std::size_t i = 0; i < batches_.size(); ++i) spread(i, springs_->found(i), displacement, spin);
}

StrandCompliance::Springs::Springs(StrandCompliance& strands) : strands_(strands)
{
    const std::size_t n = strands_.batches_.size();
    factors_.resize(n);
    part_.resize(n);
    ends_.resize(strands_.sides_.size());
    motion_.resize(ends_.size());
    first_ = {0};
    for (const std::int32_t b : strands_.batches_)
        first_.push_back(first_.back() +
                         static_cast<std::size_t>(strands_.factors_[static_cast<std::size_t>(b)].size()));
    for (auto* all : {&found_, &residual_, &answer_, &direction_, &held_product_, &product_, &free_})
        all->resize(first_.back());
    find_clusters();
}

/// Batches that springs join, directly or through others, in order.
void StrandCompliance::Springs::find_clusters()
{
    const std::size_t n = strands_.batches_.size();
    std::vector<std::int32_t> batch_of(strands_.sides_.size()), root(n);
    for (std::size_t i = 0; i < n; ++i)
        std::fill(batch_of.begin() + static_cast<std::ptrdiff_t>(strands_.begin_[i]),
                  batch_of.begin() + static_cast<std::ptrdiff_t>(strands_.begin_[i + 1]), static_cast<std::int32_t>(i));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](std::int32_t i) {
        while (root[static_cast<std::size_t>(i)] != i) {
            root[static_cast<std::size_t>(i)] = root[static_cast<std::size_t>(root[static_cast<std::size_t>(i)])];
            i = root[static_cast<std::size_t>(i)];
        }
        return i;
    };
    for (const auto& both : strands_.sides_of_) {
        if (both[1] < 0) continue;
        const std::int32_t a = find(batch_of[static_cast<std::size_t>(both[0])]);
        const std::int32_t b = find(batch_of[static_cast<std::size_t>(both[1])]);
        root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
    std::vector<std::int32_t> number(n, -1);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(n); ++i) {
        std::int32_t& cluster = number[static_cast<std::size_t>(find(i))];
        if (cluster < 0) {
            cluster = static_cast<std::int32_t>(clusters_.size());
            clusters_.emplace_back();
        }
        clusters_[static_cast<std::size_t>(cluster)].batches.push_back(i);
    }
}

void StrandCompliance::Springs::factor(std::span<const Vec3> normal, std::span<const double> stiffness)
{
    normal_ = normal;
    stiffness_ = stiffness;
    parallel_for(static_cast<std::int64_t>(factors_.size()), "strand springs", [&](std::int64_t i) {
        factor_batch(static_cast<std::size_t>(i));
        place_ends(static_cast<std::size_t>(i));
    });
}

void StrandCompliance::Springs::factor_batch(std::size_t i)
{
    RodMatrix& matrix = factors_[i];
    strands_.factors_[static_cast<std::size_t>(strands_.batches_[i])].product(matrix);
    for (std::size_t k = strands_.begin_[i]; k < strands_.begin_[i + 1]; ++k) {
        const Side& side = strands_.sides_[k];
        const auto c = static_cast<std::size_t>(side.contact);
        const int row = 4 * side.vertex;
        const double w0 = side.weight(0), w1 = side.weight(1);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                const double entry = stiffness_[c] * normal_[c][a] * normal_[c][b];
                if (b <= a) matrix.at(row + a, row + b)[side.lane] += w0 * w0 * entry;
                if (b <= a) matrix.at(row + 4 + a, row + 4 + b)[side.lane] += w1 * w1 * entry;
                matrix.at(row + 4 + a, row + b)[side.lane] += w1 * w0 * entry;
            }
    }
    (void)matrix.factor(); // positive definite, as what it was made of
}

void StrandCompliance::Springs::place_ends(std::size_t i)
{
    std::fill(free_.begin() + static_cast<std::ptrdiff_t>(first_[i]),
              free_.begin() + static_cast<std::ptrdiff_t>(first_[i + 1]), Lane{} + 1.0);
    for (std::size_t k = strands_.begin_[i]; k < strands_.begin_[i + 1]; ++k) {
        const Side& side = strands_.sides_[k];
        const auto c = static_cast<std::size_t>(side.contact);
        const Vec3 g = (side.is_second ? -1.0 : 1.0) * std::sqrt(stiffness_[c]) * normal_[c];
        ends_[k].law = four(g.x(), g.y(), g.z(), side.at);
        ends_[k].vertex = side.vertex;
        const auto& both = strands_.sides_of_[c];
        ends_[k].across = both[0] == static_cast<std::int32_t>(k) ? both[1] : both[0];
        for (const std::size_t end : {std::size_t{0}, std::size_t{1}})
            for (std::size_t a = 0; a < 3 && !side.is_free[end]; ++a)
                free_[first_[i] + 4 * (static_cast<std::size_t>(side.vertex) + end) + a][side.lane] = 0;
    }
}

template <class Body>
void StrandCompliance::Springs::for_strands(std::size_t i, Body&& body) const
{
    for (std::size_t k = strands_.begin_[i]; k < strands_.begin_[i + 1];) {
        const std::size_t begin = k;
        const std::int32_t lane = strands_.sides_[begin].lane;
        while (k < strands_.begin_[i + 1] && strands_.sides_[k].lane == lane) ++k;
        body(begin, k, lane);
    }
}

template <class Value>
double StrandCompliance::Springs::sum(const Cluster& cluster, Value&& value)
{
    parallel_for(
        static_cast<std::int64_t>(cluster.batches.size()), "strand springs",
        [&](std::int64_t n) {
            const auto i = static_cast<std::size_t>(cluster.batches[static_cast<std::size_t>(n)]);
            part_[i] = value(i);
        },
        kSpringGrain);
    double total = 0;
    for (const std::int32_t i : cluster.batches) total += part_[static_cast<std::size_t>(i)];
    return total;
}

void StrandCompliance::Springs::begin(std::size_t i, std::span<const double> b)
{
    AlignedVector<Lane> u(first_[i + 1] - first_[i], Lane{});
    for (std::size_t k = strands_.begin_[i]; k < strands_.begin_[i + 1]; ++k) {
        const Side& side = strands_.sides_[k];
        const auto c = static_cast<std::size_t>(side.contact);
        strands_.add_to(u, side, b[c] * normal_[c]);
    }
    if (!lacking_.empty())
        for (std::size_t j = 0; j < u.size(); ++j) u[j] += of(lacking_, i)[j];
    std::copy(u.begin(), u.end(), of(residual_, i).begin());
    for (auto* all : {&found_, &direction_, &held_product_}) std::ranges::fill(of(*all, i), Lane{});
}

double StrandCompliance::Springs::precondition(std::size_t i)
{
    const std::span<Lane> r = of(residual_, i), z = of(answer_, i);
    std::copy(r.begin(), r.end(), z.begin());
    factors_[i].solve(z.data());
    return inner(r, z);
}

void StrandCompliance::Springs::move_ends(std::size_t i)
{
    AlignedVector<Lane> at;
    for_strands(i, [&](std::size_t begin, std::size_t end, int lane) {
        take_strand(of(direction_, i), lane, at);
        for (std::size_t k = begin; k < end; ++k) {
            const End& e = ends_[k];
            const Lane* p = at.data() + e.vertex;
            const Lane moved = e.law * (p[0] + e.law[3] * (p[1] - p[0]));
            motion_[k] = moved[0] + moved[1] + moved[2];
        }
    });
}

double StrandCompliance::Springs::multiply(std::size_t i)
{
    const std::span<Lane> p = of(direction_, i), q = of(product_, i), free = of(free_, i);
    const std::span<Lane> held = of(held_product_, i);
    std::copy(held.begin(), held.end(), q.begin());
    AlignedVector<Lane> push;
    for_strands(i, [&](std::size_t begin, std::size_t end, int lane) {
        push.assign((q.size() + 1) / 4, Lane{});
        for (std::size_t k = begin; k < end; ++k) {
            const End& e = ends_[k];
            if (e.across < 0) continue;
            const Lane whole = motion_[static_cast<std::size_t>(e.across)] * e.law, second = e.law[3] * whole;
            push[static_cast<std::size_t>(e.vertex)] += whole - second;
            push[static_cast<std::size_t>(e.vertex) + 1] += second;
        }
        for (std::size_t v = 0; v < push.size(); ++v)
            for (std::size_t a = 0; a < 3; ++a)
                q[4 * v + a][lane] += free[4 * v + a][lane] * push[v][static_cast<int>(a)];
    });
    return inner(p, q);
}

/// From the residual and B^-1 of it on. B times the direction follows by recurrence.
void StrandCompliance::Springs::iterate(Cluster& cluster, int max_iterations)
{
    double rz = cluster.initial, beta = 0;
    cluster.residual = rz;
    while (cluster.residual > cluster.goal && cluster.iterations < max_iterations) {
        sum(cluster, [&](std::size_t i) {
            const std::span<Lane> r = of(residual_, i), z = of(answer_, i), p = of(direction_, i);
            const std::span<Lane> held = of(held_product_, i);
            for (std::size_t j = 0; j < p.size(); ++j) {
                p[j] = z[j] + beta * p[j];
                held[j] = r[j] + beta * held[j];
            }
            move_ends(i);
            return 0.0;
        });
        const double alpha = rz / sum(cluster, [&](std::size_t i) { return multiply(i); });
        const double next = sum(cluster, [&](std::size_t i) {
            const std::span<Lane> x = of(found_, i), r = of(residual_, i), p = of(direction_, i), q = of(product_, i);
            for (std::size_t j = 0; j < p.size(); ++j) {
                x[j] += alpha * p[j];
                r[j] -= alpha * q[j];
            }
            return precondition(i);
        });
        beta = next / rz;
        rz = next;
        ++cluster.iterations;
        cluster.residual = std::max(rz, 0.0);
    }
}

CompliantSolution StrandCompliance::Springs::solve(std::span<const double> b, const CompliantOptions& options,
                                                   std::span<double> force, std::span<double> motion)
{
    const auto for_clusters = [&](auto&& body) {
        parallel_for(static_cast<std::int64_t>(clusters_.size()), "strand springs",
                     [&](std::int64_t c) { body(clusters_[static_cast<std::size_t>(c)]); });
    };
    for_clusters([&](Cluster& cluster) {
        cluster.iterations = 1;
        cluster.initial = std::max(0.0, sum(cluster, [&](std::size_t i) {
                                       begin(i, b);
                                       return precondition(i);
                                   }));
    });
    double initial = 0;
    for (const Cluster& cluster : clusters_) initial += cluster.initial;
    CompliantSolution solution{.initial = std::sqrt(initial)};
    const double goal = std::max(options.tolerance * solution.initial, options.floor);
    const auto n = static_cast<double>(strands_.batches_.size());
    for_clusters([&](Cluster& cluster) { // the goals' squares add up to that of the whole
        const double share = initial > 0 ? cluster.initial / initial : 0;
        cluster.goal = 0.5 * (share + static_cast<double>(cluster.batches.size()) / n) * goal * goal;
        iterate(cluster, options.max_iterations);
    });
    double residual = 0;
    for (const Cluster& cluster : clusters_) {
        residual += cluster.residual;
        solution.iterations = std::max(solution.iterations, cluster.iterations);
    }
    solution.residual = std::sqrt(residual);
    solution.converged = solution.residual <= goal;
    for (std::size_t i = 0; i < factors_.size(); ++i) {
        if (!lacking_.empty()) solution.lacked_work += inner(of(lacking_, i), of(found_, i));
        solution.lacks_work += inner(of(residual_, i), of(found_, i));
    }
    take_found(b, force, motion);
    return solution;
}

void StrandCompliance::Springs::go(double part)
{
    lacking_.resize(residual_.size(), Lane{});
    for (std::size_t j = 0; j < lacking_.size(); ++j) lacking_[j] += part * (residual_[j] - lacking_[j]);
}

/// What the springs do where the strands were found to be.
void StrandCompliance::Springs::take_found(std::span<const double> b, std::span<double> force, std::span<double> motion)
{
    parallel_for(static_cast<std::int64_t>(factors_.size()), "strand springs", [&](std::int64_t i) {
        AlignedVector<Lane> at;
        for_strands(static_cast<std::size_t>(i), [&](std::size_t begin, std::size_t end, int lane) {
            take_strand(found(static_cast<std::size_t>(i)), lane, at);
            for (std::size_t k = begin; k < end; ++k) {
                const Side& side = strands_.sides_[k];
                const auto v = static_cast<std::size_t>(side.vertex);
                const Lane moved = side.weight(0) * at[v] + side.weight(1) * at[v + 1];
                motion_[k] = normal_[static_cast<std::size_t>(side.contact)].dot(Vec3(moved[0], moved[1], moved[2]));
            }
        });
    });
    for (std::size_t c = 0; c < b.size(); ++c) {
        const auto& both = strands_.sides_of_[c];
        motion[c] = motion_[static_cast<std::size_t>(both[0])] +
                    (both[1] >= 0 ? motion_[static_cast<std::size_t>(both[1])] : 0.0);
        force[c] = b[c] - stiffness_[c] * motion[c];
    }
}

} // namespace rivulet
