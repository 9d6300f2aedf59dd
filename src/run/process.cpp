#include "run/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace rivulet {

double cpu_seconds()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_resident_bytes()
{
    // Not ru_maxrss: that one survives exec and would report the parent's size.
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word != "VmHWM:") continue;
        double kibibytes = 0;
        status >> kibibytes;
        return 1024 * kibibytes;
    }
    return 0;
}

double available_bytes()
{
    const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    std::ifstream group("/sys/fs/cgroup/memory.max");
    double limit = 0;
    return group >> limit && limit > 0 ? std::min(machine, limit) : machine; // "max" does not read as a number
}

} // namespace rivulet
