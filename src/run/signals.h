#pragma once

#include <csignal>

namespace rivulet {

/// While it lives, SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) ask the run to end instead of
/// ending the process; SIGXFSZ is ignored (a write that exceeds a limit fails like a full disk), and SIGPIPE too. A
/// second signal of the same kind ends the process at once.
class SignalGuard {
public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    [[nodiscard]] bool end_requested() const noexcept;

private:
    struct sigaction before_[5];
};

} // namespace rivulet
