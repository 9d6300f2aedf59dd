#pragma once

#include "rivulet/run.h"

#include <chrono>
#include <string>

/// How `rivulet run` shows where it is: a live bar on a terminal, a line a frame in a pipe, JSON lines, or nothing.
class ProgressPrinter {
public:
    enum class Kind { Bar, Plain, Json, None };

    explicit ProgressPrinter(Kind kind) : kind_(kind) {}
    /// "auto": a bar when standard output is a terminal, else plain lines.
    static Kind kind_from(const std::string& name);

    void show(const rivulet::Progress& progress);
    /// `done` of `total` pieces of some work; `what` says which. In a pipe, each tenth.
    void show(const char* what, std::int64_t done, std::int64_t total);
    /// Ends the line of the bar, so that text can follow.
    void finish_line();
    [[nodiscard]] Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
    bool line_open_ = false;
    std::chrono::steady_clock::time_point last_{};
};

/// The text as JSON has it, in its quotation marks.
[[nodiscard]] std::string json_quoted(const std::string& text);
/// "1200 particles", or how many vertices the strands have where there is no particle.
[[nodiscard]] std::string amount_text(std::int64_t particles, std::int64_t strand_vertices);
/// "1:05:09", "12:40", "8 s"
[[nodiscard]] std::string duration_text(double seconds);
