#pragma once

#include <Eigen/Dense>

namespace rivulet {

/// For what is stored in bulk and needs few digits.
using Vec3f = Eigen::Vector3f;

} // namespace rivulet
