#pragma once

#include "base/timers.h"

#include <memory>

namespace rivulet {

/// Scratch of the step. May be dropped between any two steps without changing a bit of the result.
class Workspace {
public:
    Workspace();
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

    StageTimers timers;

    struct Scratch;
    [[nodiscard]] Scratch& scratch() noexcept { return *scratch_; }

private:
    std::unique_ptr<Scratch> scratch_;
};

} // namespace rivulet
