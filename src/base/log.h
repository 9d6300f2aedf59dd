#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

namespace rivulet {

enum class LogLevel { Info, Warning, Error };

/// Where log lines go; the library itself never prints. Default: nowhere. Set once at the start of a program.
using LogSink = std::function<void(LogLevel, std::string_view)>;
void set_log_sink(LogSink sink);
void log_line(LogLevel level, std::string_view line);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args)
{
    log_line(LogLevel::Info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args)
{
    log_line(LogLevel::Warning, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace rivulet
