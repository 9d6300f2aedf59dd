#pragma once

#include "base/error.h"

#include <csignal>
#include <string>

namespace rivulet {

/// A signal came before there was anything to resume (exit 130).
class InterruptedError : public Error {
public:
    using Error::Error;
};

/// While it lives, SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) ask the run to end instead of
/// ending the process; SIGXFSZ is ignored (a write that exceeds a limit fails like a full disk), and SIGPIPE too. A
/// second signal ends the process at once, with exit code 130. One that comes within half a second of the first is
/// taken for the same request: `timeout` and shells send theirs to the process and to its group.
class SignalGuard {
public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    [[nodiscard]] bool end_requested() const noexcept;
    /// What a first signal, and a second one, print to standard error: from the handler, since a step may be long.
    void set_words(const std::string& first, const std::string& second);
    /// All is done, and the process is to end with `exit_code`: from here on, and when this guard is gone, a signal
    /// changes nothing, and a second one ends the process at once with that code.
    void settle(int exit_code);

private:
    struct sigaction before_[5];
    bool is_settled_ = false;
};

} // namespace rivulet
