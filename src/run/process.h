#pragma once

namespace rivulet {

/// Processor time of this process, all threads [s].
[[nodiscard]] double cpu_seconds();
/// Largest resident set of this process so far [bytes].
[[nodiscard]] double peak_resident_bytes();
/// Memory that this process can have: of the machine, or of its control group where that is less [bytes].
[[nodiscard]] double available_bytes();

} // namespace rivulet
