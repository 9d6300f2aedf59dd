#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

std::string bar_text(const rivulet::Progress& p)
{
    constexpr int kWidth = 14;
    const double done = p.end_time > 0 ? std::clamp(p.time / p.end_time, 0.0, 1.0) : 1;
    const int filled = static_cast<int>(done * kWidth);
    return fmt::format("[{:#<{}}{:.<{}}] frame {}/{}  t {:.4g} s  dt {:.3g} ms  {}  {} left", "", filled, "",
                       kWidth - filled, p.frame, p.n_frames, p.time, 1e3 * p.dt,
                       amount_text(p.particles, p.strand_vertices), p.remaining < 0 ? "?" : duration_text(p.remaining));
}

std::string plain_text(const rivulet::Progress& p)
{
    return fmt::format("frame {}/{}  t {:.6g} s  dt {:.4g} s ({})  {}  step {}  left {}", p.frame, p.n_frames, p.time,
                       p.dt, p.limiter, amount_text(p.particles, p.strand_vertices), p.step,
                       p.remaining < 0 ? "?" : duration_text(p.remaining));
}

std::string json_text(const rivulet::Progress& p)
{
    return fmt::format(
        R"({{"event": "frame", "frame": {}, "frames": {}, "time_s": {}, "end_time_s": {}, "dt_s": {}, )"
        R"("limiter": "{}", "particles": {}, "strand_vertices": {}, "step": {}, "wall_s": {}, "remaining_s": {}}})",
        p.frame, p.n_frames, p.time, p.end_time, p.dt, p.limiter, p.particles, p.strand_vertices, p.step, p.wall,
        p.remaining < 0 ? "null" : fmt::format("{}", p.remaining));
}

/// In columns; a line that is longer would wrap and stay.
std::size_t terminal_width()
{
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

} // namespace

std::string json_quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", c);
        else
            out += c;
    }
    return out + '"';
}

std::string amount_text(std::int64_t particles, std::int64_t strand_vertices)
{
    return particles == 0 && strand_vertices > 0 ? fmt::format("{} strand vertices", strand_vertices)
                                                 : fmt::format("{} particles", particles);
}

std::string duration_text(double seconds)
{
    const long total = std::lround(seconds);
    if (total < 60) return fmt::format("{} s", total);
    if (total < 3600) return fmt::format("{}:{:02}", total / 60, total % 60);
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

ProgressPrinter::Kind ProgressPrinter::kind_from(const std::string& name)
{
    if (name == "plain") return Kind::Plain;
    if (name == "json") return Kind::Json;
    if (name == "none") return Kind::None;
    return isatty(STDOUT_FILENO) != 0 ? Kind::Bar : Kind::Plain;
}

void ProgressPrinter::show(const rivulet::Progress& progress)
{
    if (kind_ == Kind::Bar) {
        const auto now = std::chrono::steady_clock::now();
        const bool is_last = progress.frame == progress.n_frames;
        if (now - last_ < std::chrono::milliseconds(100) && !is_last) return;
        last_ = now;
        std::fputs(("\r\033[K" + bar_text(progress).substr(0, terminal_width() - 1)).c_str(), stdout);
        line_open_ = true;
        std::fflush(stdout);
    } else if (kind_ != Kind::None && progress.frame_completed) {
        std::puts((kind_ == Kind::Json ? json_text(progress) : plain_text(progress)).c_str());
        std::fflush(stdout);
    }
}

void ProgressPrinter::show(const char* what, std::int64_t done, std::int64_t total)
{
    const std::string text = fmt::format("{} {}/{}", what, done, total);
    if (kind_ == Kind::Bar) {
        std::fputs(("\r\033[K" + text).c_str(), stdout);
        line_open_ = true;
    } else if (kind_ == Kind::Plain && (done % 10 == 0 || done == total)) {
        std::puts(text.c_str());
    }
    std::fflush(stdout);
}

void ProgressPrinter::finish_line()
{
    if (line_open_) std::fputs("\n", stdout);
    line_open_ = false;
}
