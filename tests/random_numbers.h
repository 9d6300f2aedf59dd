#pragma once

#include "base/rng.h"
#include "base/vec.h"

#include <cstdint>

namespace rivulet {

/// Random numbers of a test, one after the other.
class RandomNumbers {
public:
    explicit RandomNumbers(std::uint64_t seed) : seed_(seed) {}

    /// Uniform in [low, high).
    double number(double low, double high) { return low + (high - low) * random_unit(seed_, 0, counter_++); }
    /// Uniform in a cube about the origin.
    Vec3 vector(double half_size = 1)
    {
        const double x = number(-half_size, half_size), y = number(-half_size, half_size);
        return {x, y, number(-half_size, half_size)};
    }

private:
    std::uint64_t seed_;
    std::uint64_t counter_ = 0;
};

} // namespace rivulet
