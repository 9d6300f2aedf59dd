#include "run/signals.h"

#include <array>
#include <atomic>

namespace rivulet {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE};
constexpr std::size_t kEnding = 3; // the first of these ask for the end; the others are ignored
static_assert(std::atomic<bool>::is_always_lock_free);
// A signal handler can reach nothing but a global.
std::atomic<bool> requested{false};

void request_end(int) { requested.store(true); }

} // namespace

SignalGuard::SignalGuard()
{
    requested.store(false);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        struct sigaction action = {};
        action.sa_handler = i < kEnding ? request_end : SIG_IGN;
        action.sa_flags = i < kEnding ? static_cast<int>(SA_RESETHAND) | SA_RESTART : 0;
        sigaction(kSignals[i], &action, &before_[i]);
        // nohup has the terminal's end ignored, and means it.
        if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &before_[i], nullptr);
    }
}

SignalGuard::~SignalGuard()
{
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

bool SignalGuard::end_requested() const noexcept { return requested.load(); }

} // namespace rivulet
