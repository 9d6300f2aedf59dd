# One static library per folder of src/, one test program per folder of tests/.

add_library(rivulet_flags INTERFACE)
target_compile_options(rivulet_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Wformat=2 -Werror
  # AVX2 and FMA: every x86-64 server and desktop since 2015. No -ffast-math: the same bits on any thread count.
  -march=x86-64-v3 -fno-math-errno -fno-trapping-math)
target_include_directories(rivulet_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(rivulet_flags INTERFACE RIVULET_VERSION="${PROJECT_VERSION}")
if(RIVULET_CHECKED)
  target_compile_definitions(rivulet_flags INTERFACE RIVULET_CHECKED)
endif()
if(RIVULET_SANITIZE)
  target_compile_options(rivulet_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
  target_link_options(rivulet_flags INTERFACE -fsanitize=address,undefined)
endif()

# Several sources in one compilation: half of the time would go into reading the same headers 180 times. The names that
# a file keeps to itself must therefore be unique within its folder.
set(CMAKE_UNITY_BUILD ${RIVULET_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
if(RIVULET_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU) # takes an included source for a header
  target_compile_options(rivulet_flags INTERFACE -Wno-subobject-linkage)
endif()

# rivulet_module(name LINK targets...): library rivulet_<name> from src/<name>/*.cpp.
function(rivulet_module name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(sources)
    add_library(rivulet_${name} STATIC ${sources})
    target_link_libraries(rivulet_${name} PUBLIC rivulet_flags ${ARG_LINK})
  else()
    add_library(rivulet_${name} INTERFACE)
    target_link_libraries(rivulet_${name} INTERFACE rivulet_flags ${ARG_LINK})
  endif()
endfunction()

# rivulet_test(name): program test_<name> from tests/<name>/test_*.cpp, one CTest entry per TEST.
function(rivulet_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/test_*.cpp)
  if(sources)
    add_executable(test_${name} ${sources})
    target_link_libraries(test_${name} PRIVATE rivulet_${name} GTest::gtest_main)
    target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_compile_definitions(test_${name} PRIVATE RIVULET_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES TEST_PREFIX "${name}." PROPERTIES LABELS unit)
  endif()
endfunction()
