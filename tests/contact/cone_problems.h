#pragma once
/// Problems of contacts for the cone solvers, with dense compliance, and the whole of Coulomb's law as a test.
#include "contact/cone_solver.h"

#include "contact/contact_frame.h"
#include "contact/penalty_solver.h"
#include "random_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace rivulet {

using Matrix = Eigen::MatrixXd;

/// (1 + W K) motion = W b, W along the normals, by elimination.
class DenseSprings final : public SpringBodies {
public:
    DenseSprings(Matrix w, std::span<const double> stiffness) : w_(std::move(w)), stiffness_(stiffness) {}
    CompliantSolution solve(std::span<const double> b, const CompliantOptions& /*options*/, std::span<double> force,
                            std::span<double> motion) override
    {
        const auto n = static_cast<Eigen::Index>(b.size());
        const Eigen::Map<const Eigen::VectorXd> rest(b.data(), n), k(stiffness_.data(), n);
        const Matrix all = Matrix::Identity(n, n) + w_ * k.asDiagonal();
        const Eigen::VectorXd found = all.partialPivLu().solve(w_ * rest);
        for (std::size_t i = 0; i < b.size(); ++i) {
            motion[i] = found[static_cast<Eigen::Index>(i)];
            force[i] = b[i] - stiffness_[i] * motion[i];
        }
        return {.iterations = 1, .converged = true};
    }
    void go(double /*part*/) override {} // nothing is lacking

private:
    Matrix w_;
    std::span<const double> stiffness_;
};

class DenseCompliance final : public ContactCompliance {
public:
    explicit DenseCompliance(Matrix w) : w_(std::move(w)) {}
    void apply(std::span<const Vec3> force, std::span<Vec3> motion) override
    {
        for (std::size_t i = 0; i < motion.size(); ++i) {
            motion[i] = Vec3::Zero();
            for (std::size_t j = 0; j < force.size(); ++j)
                motion[i] += w_.block<3, 3>(static_cast<int>(3 * i), static_cast<int>(3 * j)) * force[j];
        }
    }
    /// The same as one body that all contacts act on.
    [[nodiscard]] BlockCompliance blocks(std::span<const ConeContact> contacts) const
    {
        const std::size_t n = contacts.size();
        BlockCompliance out;
        out.first = {0, n};
        out.body.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) out.sides.push_back({static_cast<std::int32_t>(i), -1});
        out.resize(contacts);
        Matrix axes = Matrix::Zero(static_cast<Eigen::Index>(out.axis.back()), w_.rows());
        for (std::size_t i = 0; i < n; ++i) {
            const auto rows = static_cast<Eigen::Index>(n_axes(contacts[i]));
            axes.block(static_cast<Eigen::Index>(out.axis[i]), static_cast<Eigen::Index>(3 * i), rows, 3) =
                contact_frame(contacts[i].normal).topRows(rows);
        }
        const Matrix own_axes = axes * w_ * axes.transpose(); // symmetric: columns are rows
        std::copy(own_axes.data(), own_axes.data() + own_axes.size(), out.values.begin());
        return out;
    }
    SpringBodies* with_springs(std::span<const Vec3> normal, std::span<const double> stiffness) override
    {
        Matrix along = Matrix::Zero(w_.rows(), static_cast<Eigen::Index>(normal.size()));
        for (std::size_t i = 0; i < normal.size(); ++i)
            along.block<3, 1>(static_cast<Eigen::Index>(3 * i), static_cast<Eigen::Index>(i)) = normal[i];
        springs_ = std::make_unique<DenseSprings>(along.transpose() * w_ * along, stiffness);
        return springs_.get();
    }
    /// The same with every contact named once for each of its axes.
    [[nodiscard]] DenseCompliance axes(std::span<const ConeContact> contacts) const
    {
        std::vector<int> place;
        for (std::size_t i = 0; i < contacts.size(); ++i)
            place.insert(place.end(), n_axes(contacts[i]), 3 * static_cast<int>(i));
        const auto n = static_cast<int>(place.size());
        Matrix all(3 * n, 3 * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                all.block<3, 3>(3 * i, 3 * j) =
                    w_.block<3, 3>(place[static_cast<std::size_t>(i)], place[static_cast<std::size_t>(j)]);
        return DenseCompliance(all);
    }
    [[nodiscard]] double own(int i) const { return w_.block<3, 3>(3 * i, 3 * i).trace() / 3; }

    [[nodiscard]] std::unique_ptr<ContactCompliance> only(std::span<const std::int32_t> contacts) override
    {
        if (!has_parts) return nullptr;
        const auto n = static_cast<int>(contacts.size());
        Matrix part(3 * n, 3 * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                part.block<3, 3>(3 * i, 3 * j) = w_.block<3, 3>(3 * contacts[static_cast<std::size_t>(i)],
                                                                3 * contacts[static_cast<std::size_t>(j)]);
        *largest_part = std::max(*largest_part, n);
        return std::make_unique<DenseCompliance>(part);
    }
    bool has_parts = false;
    std::shared_ptr<int> largest_part = std::make_shared<int>(0); ///< contacts that took part in a search

private:
    Matrix w_;
    std::unique_ptr<DenseSprings> springs_;
};

inline Matrix random_compliance(int n, int rank, std::uint64_t seed)
{
    RandomNumbers random(seed);
    Matrix a(3 * n, rank);
    for (int i = 0; i < 3 * n; ++i)
        for (int j = 0; j < rank; ++j) a(i, j) = random.number(-1, 1);
    return a * a.transpose();
}

struct ConeProblem {
    std::vector<ConeContact> contacts;
    std::vector<Vec3> guess, force, motion;
};
inline ConeProblem random_problem(int n, const DenseCompliance& w, std::uint64_t seed)
{
    RandomNumbers random(seed);
    ConeProblem p;
    for (int i = 0; i < n; ++i) {
        const Vec3 normal = random.vector().normalized();
        p.contacts.push_back({normal, random.number(0, 0.2), random.number(0, 0.8), random.number(0, 0.1), w.own(i)});
        p.motion.push_back(random.vector() - 0.7 * normal);
    }
    p.guess.assign(static_cast<std::size_t>(n), Vec3::Zero());
    p.force = p.guess;
    return p;
}

/// The whole law: open without a force, or touching and at rest, or touching and sliding against the largest friction.
inline void expect_coulomb(const ConeProblem& p, DenseCompliance& w, const std::vector<Vec3>& free,
                           int least_sticking = 5)
{
    constexpr double kSmall = 1e-6;
    std::vector<Vec3> moved(p.force.size());
    w.apply(p.force, moved);
    int n_open = 0, n_stick = 0, n_slide = 0;
    for (std::size_t i = 0; i < p.force.size(); ++i) {
        const ConeContact& c = p.contacts[i];
        EXPECT_LT((free[i] + moved[i] - p.motion[i]).norm(), 1e-9);
        const double gap = c.gap + p.motion[i].dot(c.normal);
        EXPECT_GT(gap, -1e-8);
        const Vec3 r = p.force[i] + c.cohesion * c.normal, across = r - r.dot(c.normal) * c.normal;
        EXPECT_LE(across.norm(), c.friction * r.dot(c.normal) + 1e-12);
        EXPECT_LT(std::abs(gap * r.dot(c.normal)), kSmall); // touches or bears nothing
        if (r.norm() < 1e-12) {
            ++n_open;
            continue;
        }
        const Vec3 slip = p.motion[i] - p.motion[i].dot(c.normal) * c.normal;
        const double most = c.friction * r.dot(c.normal);
        if (across.norm() < most - kSmall) {
            EXPECT_LT(slip.norm(), kSmall) << i;
            ++n_stick;
        } else if (slip.norm() > kSmall) {
            EXPECT_NEAR(across.norm(), most, kSmall) << i;
            EXPECT_LT((across + most / slip.norm() * slip).norm(), kSmall) << i;
            ++n_slide;
        }
    }
    EXPECT_GE(n_open, 5);
    EXPECT_GE(n_stick, least_sticking);
    EXPECT_GE(n_slide, 5);
}

} // namespace rivulet
