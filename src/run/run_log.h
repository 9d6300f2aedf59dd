#pragma once

#include "io/append_file.h"
#include "run/run_folder.h"

#include <functional>
#include <string_view>

namespace rivulet {

/// While it lives, log lines of the library go to log.txt of the run folder, and warnings to `message` as well.
class RunLog {
public:
    /// `keep_earlier`: lines of the run that is being resumed stay.
    RunLog(const RunFolder& folder, bool keep_earlier, std::function<void(std::string_view)> message);
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    /// Hands the lines to the system; IoError when that fails.
    void flush() { file_.flush(); }

private:
    AppendFile file_;
};

} // namespace rivulet
