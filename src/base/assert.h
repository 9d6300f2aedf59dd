#pragma once

#include "base/error.h"

#include <string>

namespace rivulet {

/// A broken invariant of the program itself (exit 1).
class InternalError : public Error {
public:
    using Error::Error;
};

[[noreturn]] inline void invariant_failed(const char* condition, const char* file, int line)
{
    throw InternalError(std::string(file) + ":" + std::to_string(line) + ": broken invariant: " + condition);
}

} // namespace rivulet

/// Always on: broken invariants outside of hot loops.
#define RIVULET_VERIFY(condition)                                                                                      \
    (static_cast<bool>(condition) ? void(0) : ::rivulet::invariant_failed(#condition, __FILE__, __LINE__))

/// On in checked builds (RIVULET_CHECKED): preconditions in hot loops.
#ifdef RIVULET_CHECKED
#define RIVULET_ASSERT(condition) RIVULET_VERIFY(condition)
#else
#define RIVULET_ASSERT(condition) void(0)
#endif
