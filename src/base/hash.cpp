#include "base/hash.h"

#include <fmt/format.h>

namespace rivulet {

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

} // namespace rivulet
