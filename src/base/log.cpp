#include "base/log.h"

#include <mutex>

namespace rivulet {
namespace {
std::mutex sink_mutex;
LogSink sink;
} // namespace

void set_log_sink(LogSink new_sink)
{
    const std::lock_guard lock(sink_mutex);
    sink = std::move(new_sink);
}

void log_line(LogLevel level, std::string_view line)
{
    const std::lock_guard lock(sink_mutex);
    if (sink) sink(level, line);
}

} // namespace rivulet
