#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rivulet {

/// Wall time, calls and solver iterations of each stage of a step, in the order in which stages first ran.
class StageTimers {
public:
    struct Stage {
        std::string name;
        double wall_s = 0;
        std::int64_t calls = 0;
        std::int64_t iterations = 0;
    };

    /// Times from construction to destruction.
    class Scope {
    public:
        Scope(StageTimers& timers, const char* name) : stage_(timers.stage(name)), start_(Clock::now()) {}
        ~Scope()
        {
            stage_.wall_s += std::chrono::duration<double>(Clock::now() - start_).count();
            ++stage_.calls;
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        void add_iterations(std::int64_t n) { stage_.iterations += n; }

    private:
        using Clock = std::chrono::steady_clock;
        Stage& stage_;
        Clock::time_point start_;
    };

    [[nodiscard]] const std::vector<std::unique_ptr<Stage>>& stages() const noexcept { return stages_; }

private:
    Stage& stage(const char* name);
    std::vector<std::unique_ptr<Stage>> stages_;
};

} // namespace rivulet
