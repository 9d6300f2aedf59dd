#include "wetting/film_section.h"

#include "random_numbers.h"
#include "wetting/film_transport.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <vector>

namespace rivulet {
namespace {

TEST(FilmSection, ThicknessAndAreaAreInverse)
{
    for (const double h : {1e-12, 1e-6, 5e-5, 1e-3})
        EXPECT_NEAR(film_thickness(film_area(h, 5e-5), 5e-5), h, 1e-14 * h);
    EXPECT_NEAR(film_area(1, 1), 3 * std::numbers::pi, 1e-14); // ring from 1 to 2
    EXPECT_NEAR(film_polar_moment(3 * std::numbers::pi, 1), std::numbers::pi / 2 * 15, 1e-13);
}

/// Mean over the ring of the exact profile u = (H^2 ln(R/r) - (R^2 - r^2)/2)/2, which has u(r) = 0 and u'(H) = 0.
double mean_speed(double h, double r)
{
    const double outer = r + h;
    const int n = 20000;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double radius = r + h * (i + 0.5) / n;
        const double u = 0.5 * (outer * outer * std::log(radius / r) - 0.5 * (radius * radius - r * r));
        sum += 2 * std::numbers::pi * radius * u * h / n;
    }
    return sum / film_area(h, r);
}

TEST(FilmSection, MobilityIsTheMeanOfTheCreepingProfile)
{
    for (const double h : {0.01, 0.029, 0.031, 0.5, 3.0, 20.0})
        EXPECT_NEAR(film_mobility(h, 1) / mean_speed(h, 1), 1, 1e-7) << h;
    EXPECT_NEAR(film_mobility(1e-9, 1), 1e-18 / 3, 1e-26);
    EXPECT_NEAR(film_mobility(0.03 * (1 - 1e-14), 1) / film_mobility(0.03 * (1 + 1e-14), 1), 1, 2e-12);
}

TEST(FilmSection, FrictionOfWaterIsAsComputedElsewhere) // c_f [1/s] at h = 0.05, 0.2 and 1 mm on a hair of 0.05 mm
{
    const double nu = 8.9e-7, r = 5e-5;
    EXPECT_NEAR(nu / film_mobility(5e-5, r), 752, 1);
    EXPECT_NEAR(nu / film_mobility(2e-4, r), 30, 0.5);
    EXPECT_NEAR(nu / film_mobility(1e-3, r), 0.70, 0.005);
}

TEST(FilmTransport, SolvesTheUpwindSystem)
{
    RandomNumbers random(5);
    const int n = 30;
    std::vector<double> right(n), left(n), q(n);
    for (std::size_t j = 0; j < q.size(); ++j) {
        const double flow = random.number(-20, 20); // over the face behind vertex j
        right[j] = std::max(flow, 0.0);
        if (j + 1 < q.size()) left[j + 1] = std::max(-flow, 0.0);
        q[j] = random.number(0, 1);
    }
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n);
    for (int j = 0; j < n; ++j) {
        const auto i = static_cast<std::size_t>(j);
        a(j, j) += right[i] + left[i];
        if (j + 1 < n) a(j + 1, j) -= right[i];
        if (j > 0) a(j - 1, j) -= left[i];
    }
    const Eigen::VectorXd exact = a.fullPivLu().solve(Eigen::Map<const Eigen::VectorXd>(q.data(), n));
    FilmTransport transport;
    transport.factor(right, left);
    transport.apply(std::span<double>(q));
    for (int j = 0; j < n; ++j) EXPECT_NEAR(q[static_cast<std::size_t>(j)], exact[j], 1e-13);
}

TEST(FilmTransport, KeepsWhatIsPositiveAndLosesNothing)
{
    RandomNumbers random(6);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<double> right(42), left(42), q(42);
        double before = 0;
        for (std::size_t j = 0; j < q.size(); ++j) {
            const double flow = std::pow(10.0, random.number(-6, 6)) * (random.number(0, 1) < 0.5 ? 1 : -1);
            right[j] = std::max(flow, 0.0);
            if (j + 1 < q.size()) left[j + 1] = std::max(-flow, 0.0);
            before += q[j] = random.number(0, 1) < 0.5 ? 0 : random.number(0, 1);
        }
        FilmTransport transport;
        transport.factor(right, left);
        transport.apply(std::span<double>(q));
        double after = right.back() * q.back();
        for (const double x : q) {
            EXPECT_GE(x, 0);
            after += x;
        }
        EXPECT_NEAR(after, before, 1e-13 * before); // measured 1e-15
    }
}

} // namespace
} // namespace rivulet
