#pragma once

#include <string>

namespace rivulet {

/// One line of `rivulet bench`: a measured value and, where there is one, a reference measured in the same run.
struct BenchFigure {
    std::string bench;
    double value = 0;
    std::string unit;
    double reference = 0; ///< in the same unit; 0: none
    double ratio = 0;     ///< how many times better the value is than the reference; 0: none
    double bar = 0;       ///< what the ratio (or, without a reference, the value) has to reach; 0: only informs
    bool meets = true;
};

} // namespace rivulet
