#pragma once

#include "base/timers.h"

#include <functional>
#include <memory>

namespace rivulet {

struct State;

/// Scratch of the step. May be dropped between any two steps without changing a bit of the result.
class Workspace {
public:
    Workspace();
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

    StageTimers timers;
    /// Called at the beginning (stage "begin") and after every stage of a step, where set: fault injection in tests,
    /// and nothing else.
    std::function<void(const char* stage, State& state)> after_stage;

    struct Scratch;
    [[nodiscard]] Scratch& scratch() noexcept { return *scratch_; }

private:
    std::unique_ptr<Scratch> scratch_;
};

} // namespace rivulet
