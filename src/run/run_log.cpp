#include "run/run_log.h"

#include "base/log.h"

#include <system_error>

namespace rivulet {
namespace {

std::int64_t earlier_size(const std::filesystem::path& path)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return error ? 0 : static_cast<std::int64_t>(size);
}

const char* prefix(LogLevel level)
{
    switch (level) {
    case LogLevel::Info:
        return "";
    case LogLevel::Warning:
        return "warning: ";
    case LogLevel::Error:
        return "error: ";
    }
    return "";
}

} // namespace

RunLog::RunLog(const RunFolder& folder, bool keep_earlier, std::function<void(std::string_view)> message)
    : file_(folder.file("log.txt"), keep_earlier ? earlier_size(folder.file("log.txt")) : 0)
{
    set_log_sink([this, message = std::move(message)](LogLevel level, std::string_view line) {
        const std::string text = prefix(level) + std::string(line);
        file_.append(text + '\n');
        if (level != LogLevel::Info && message) message(text);
    });
}

RunLog::~RunLog() { set_log_sink({}); }

} // namespace rivulet
