#include "run/signals.h"

#include "rivulet/error.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace rivulet {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE};
constexpr std::size_t kEnding = 3;            // the first of these ask for the end; the others are ignored
constexpr std::int64_t kSameRequest = 500000; // [us]
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
// A signal handler can reach nothing but a global.
std::atomic<std::int64_t> requested_at{-1}; // [us]; negative = not requested
std::atomic<int> code_at_once{kExitInterrupted};

/// Text that a handler can print whatever was interrupted: the one being written is never the one in use.
class Words {
public:
    void set(const std::string& text)
    {
        const int next = 1 - used_.load();
        Buffer& buffer = buffers_[static_cast<std::size_t>(next)];
        buffer.size = std::min(text.size(), buffer.text.size());
        std::copy_n(text.begin(), buffer.size, buffer.text.begin());
        used_.store(next);
    }
    void print() const noexcept
    {
        const Buffer& buffer = buffers_[static_cast<std::size_t>(used_.load())];
        (void)!::write(STDERR_FILENO, buffer.text.data(), buffer.size);
    }

private:
    struct Buffer {
        std::array<char, 8192> text; // a path and a sentence
        std::size_t size = 0;
    };
    std::array<Buffer, 2> buffers_{};
    std::atomic<int> used_{0};
};
Words first_words, second_words;

std::int64_t microseconds() noexcept
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

void request_end(int) noexcept
{
    const int error = errno;
    const std::int64_t now = microseconds();
    std::int64_t before = -1;
    if (requested_at.compare_exchange_strong(before, now)) {
        first_words.print();
    } else if (now - before > kSameRequest) {
        second_words.print();
        ::_exit(code_at_once.load());
    }
    errno = error;
}

} // namespace

SignalGuard::SignalGuard()
{
    requested_at.store(-1);
    code_at_once.store(kExitInterrupted);
    set_words("", "");
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        struct sigaction action = {};
        action.sa_handler = i < kEnding ? request_end : SIG_IGN;
        action.sa_flags = i < kEnding ? SA_RESTART : 0;
        sigaction(kSignals[i], &action, &before_[i]);
        // nohup has the terminal's end ignored, and means it.
        if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &before_[i], nullptr);
    }
}

SignalGuard::~SignalGuard()
{
    for (std::size_t i = is_settled_ ? kEnding : 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], &before_[i], nullptr);
}

bool SignalGuard::end_requested() const noexcept { return requested_at.load() >= 0; }

void SignalGuard::settle(int exit_code)
{
    is_settled_ = true;
    first_words.set("");
    second_words.set("");
    code_at_once.store(exit_code);
    requested_at.store(-1);
}

void SignalGuard::set_words(const std::string& first, const std::string& second)
{
    const std::string begin = ::isatty(STDERR_FILENO) == 1 ? "\n" : ""; // a terminal has shown ^C
    first_words.set(begin + first);
    second_words.set(begin + second);
}

} // namespace rivulet
