#!/usr/bin/env bash
# Builds the scene fuzzer and runs it: fuzz/run.sh [SECONDS] [FLAGS...]. New inputs stay in build/fuzz/corpus; a failure
# leaves its input in build/fuzz, prints it and exits non-zero.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/fuzz
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
      -DRIVULET_FUZZ=ON -DRIVULET_TESTS=OFF > "$build.cmake.log"
ninja -C "$build" fuzz_scene
mkdir -p "$build/corpus"
# Freed memory is kept for a while to catch its use, and each block with the calls that led to it: less of both is faster,
# and leaves the limit of memory to the parser. A failure's input shows more without these.
export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=64:malloc_context_size=2}
exec "$build/fuzz/fuzz_scene" -max_total_time="${1:-60}" -timeout=1 -rss_limit_mb=512 -max_len=8192 \
     -dict="$root/fuzz/scene.dict" -artifact_prefix="$build/" -print_final_stats=1 "${@:2}" \
     "$build/corpus" "$root/fuzz/corpus"
