#include "base/parallel.h"
#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

namespace rivulet {
namespace {

TEST(OrderedSum, HasTheSameBitsOnAnyNumberOfThreads)
{
    const auto term = [](std::int64_t i) { return std::sin(double(i)) * std::exp2(double(i % 60) - 30); };
    double reference = 0;
    for (const int threads : {1, 2, 3, 8}) {
        const ThreadPool pool(threads);
        for (int repeat = 0; repeat < 3; ++repeat) {
            const double sum = pool.run([&] { return ordered_sum(1'000'003, "test", term); });
            if (threads == 1 && repeat == 0) reference = sum;
            EXPECT_EQ(sum, reference) << threads << " threads";
        }
    }
}

TEST(OrderedSum, OfIntegersIsGausssFormula)
{
    EXPECT_EQ(ordered_sum(100'001, "test", [](std::int64_t i) { return double(i); }), 5000050000.0);
    EXPECT_EQ(ordered_sum(0, "test", [](std::int64_t) { return 1.0; }), 0.0);
}

TEST(ParallelFor, NamesTheLoopInWhichAnInvariantBroke)
{
    for (const std::int64_t n : {1, 100'000}) try {
            parallel_for(n, "melt", [](std::int64_t i) { RIVULET_VERIFY(i != 0); });
            FAIL();
        } catch (const InternalError& error) {
            EXPECT_NE(std::string(error.what()).find("broken invariant: i != 0, in the loop 'melt'"), std::string::npos)
                << error.what();
        }
}

TEST(ThreadPool, UsesAsManyThreadsAsAskedForEvenBeyondTheCores)
{
    constexpr int kThreads = 8;
    const ThreadPool pool(kThreads);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    // Every task waits (a second at most) until all eight are inside at once.
    pool.run([&] {
        parallel_for(kThreads, "test", [&](std::int64_t) {
            int now = ++inside;
            for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
            while (most < kThreads && std::chrono::steady_clock::now() < end) std::this_thread::yield();
            --inside;
        });
    });
    EXPECT_GT(most, 2);
}

TEST(ParallelFor, VisitsEveryIndexOnce)
{
    const ThreadPool pool(3);
    std::vector<int> visits(100'000, 0);
    parallel_for(std::int64_t(visits.size()), "test", [&](std::int64_t i) { ++visits[std::size_t(i)]; });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 100'000);
}

TEST(ParallelFor, HoldsUpNoTaskBehindALongOne)
{
    constexpr int kTasks = 40, kLong = 30;
    const ThreadPool pool(2);
    std::atomic<int> done = 0;
    int seen = 0;
    pool.run([&] {
        parallel_for(kTasks, "test", [&](std::int64_t i) {
            if (i != kLong) {
                ++done;
                return;
            }
            // Waits (ten seconds at most) until the other thread has done all the rest.
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
            while (done < kTasks - 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
            seen = done;
        });
    });
    EXPECT_EQ(seen, kTasks - 1);
}

/// Sums of two products: the compiler rounds one of them only with the sum, not the same one in every copy of a loop.
TEST(ParallelFor, GivesAnIndexTheSameBitsOnAnyNumberOfThreads)
{
    const std::size_t n = 100'003;
    std::vector<double> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = std::sin(double(i));
        y[i] = std::cos(3 * double(i));
    }
    const auto mixed = [&](int threads) {
        std::vector<double> out(2 * n);
        with_threads(threads, [&](int) {
            parallel_for(std::int64_t(n), "test", [&](std::int64_t index) {
                const auto i = std::size_t(index);
                out[2 * i] = x[i] * y[i] - y[i] * 0.3;
                out[2 * i + 1] = x[i] * 0.3 + y[i] * x[i];
            });
        });
        return out;
    };
    const std::vector<double> one = mixed(1);
    for (const int threads : {2, 3, 8})
        for (int repeat = 0; repeat < 5; ++repeat) {
            const std::vector<double> many = mixed(threads);
            std::int64_t n_different = 0;
            for (std::size_t i = 0; i < one.size(); ++i) n_different += many[i] != one[i];
            EXPECT_EQ(n_different, 0) << threads << " threads";
        }
}

TEST(ColouredFor, RunsColoursInOrder)
{
    const ThreadPool pool(2);
    // Item i adds to cell i/2 and i/2+1: neighbours conflict, colours (0,2,4..) and (1,3,5..) do not.
    std::vector<double> cells(1001, 1.0);
    std::vector<std::vector<int>> colours(2);
    for (int i = 0; i < 1000; ++i) colours[std::size_t(i % 2)].push_back(i);
    coloured_for(colours, "test", [&](int i) {
        cells[std::size_t(i)] = cells[std::size_t(i)] * 0.5 + 1;
        cells[std::size_t(i) + 1] = cells[std::size_t(i) + 1] * 0.25 + 3;
    });
    // Even items first: cell 2 is x*0.5+1 by item 2, then *0.25+3 by item 1.
    EXPECT_EQ(cells[2], (1.0 * 0.5 + 1) * 0.25 + 3);
    EXPECT_EQ(cells[1], (1.0 * 0.25 + 3) * 0.5 + 1);
}

TEST(RandomUnit, IsUniformAndDependsOnCounterAlone)
{
    double mean = 0;
    double square = 0;
    const int n = 100'000;
    for (int i = 0; i < n; ++i) {
        const double u = random_unit(7, 3, std::uint64_t(i));
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        mean += u / n;
        square += u * u / n;
    }
    EXPECT_NEAR(mean, 0.5, 4 * std::sqrt(1.0 / 12 / n)); // four standard deviations
    EXPECT_NEAR(square, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
    EXPECT_EQ(random_unit(7, 3, 11), random_unit(7, 3, 11));
    EXPECT_NE(random_unit(7, 3, 11), random_unit(7, 4, 11));
}

} // namespace
} // namespace rivulet
