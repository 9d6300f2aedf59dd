#pragma once

#include <gtest/gtest.h>

#include <vector>

namespace rivulet::test {

#ifdef RIVULET_CHECKED
inline constexpr bool kIsSlowBuild = true; ///< sanitizers and assertions: ten times slower
#else
inline constexpr bool kIsSlowBuild = false;
#endif

/// That results must not depend on.
inline std::vector<int> thread_counts() { return kIsSlowBuild ? std::vector<int>{1, 3} : std::vector<int>{1, 2, 3, 8}; }

} // namespace rivulet::test

/// For tests that are long because of the figure they check: shorter ones run the same code under sanitizers.
#define RIVULET_SKIP_IN_SLOW_BUILD()                                                                                   \
    if (rivulet::test::kIsSlowBuild) GTEST_SKIP() << "long; shorter tests run the same code in this build"
