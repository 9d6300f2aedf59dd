#include "run/signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace rivulet {
namespace {

void send_and_wait(int signal)
{
    (void)std::raise(signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
}

TEST(Signals, TheFirstAsksForTheEnd)
{
    SignalGuard guard;
    EXPECT_FALSE(guard.end_requested());
    (void)std::raise(SIGTERM);
    EXPECT_TRUE(guard.end_requested());
    const SignalGuard next;
    EXPECT_FALSE(next.end_requested());
}

TEST(Signals, ASecondEndsAtOnceAndSaysWhatIsLeft)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            SignalGuard guard;
            guard.set_words("first\n", "old\n");
            guard.set_words("first\n", "the last checkpoint is 7\n");
            send_and_wait(SIGTERM);
            send_and_wait(SIGINT);
        },
        testing::ExitedWithCode(130), "first\nthe last checkpoint is 7\n");
}

TEST(Signals, AfterTheEndChangeNothing)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto end_with = [](int signals) {
        {
            SignalGuard guard;
            guard.set_words("first\n", "second\n");
            guard.settle(3);
        }
        for (int i = 0; i < signals; ++i) send_and_wait(SIGTERM);
        std::_Exit(7);
    };
    EXPECT_EXIT(end_with(1), testing::ExitedWithCode(7), "^$");
    EXPECT_EXIT(end_with(2), testing::ExitedWithCode(3), "^$"); // the process hung, as with a reader that does not read
}

TEST(Signals, OneThatArrivesTwiceAtOnceIsOne)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            SignalGuard guard;
            (void)std::raise(SIGTERM);
            (void)std::raise(SIGTERM);
            std::_Exit(guard.end_requested() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace rivulet
