#!/usr/bin/env python3
"""The test command: builds, then runs everything that a reviewer would run. Usage: ./rivulet test [--quick | --full]

  --quick  unit tests of the release build alone
  --full   longer variants of the system tests and of the fuzzer (RIVULET_FULL=1)

Every check is a CTest test of build/release: format, layers, clang-tidy, the unit tests under sanitizers, the fuzzer,
documentation, and the system tests. The last lines are CTest's own summary.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
RELEASE = ROOT / "build/release"
CHECKED = ROOT / "build/checked"


def step(title, *command, env=None):
    print(f"== {title}", flush=True)
    begin = time.monotonic()
    code = subprocess.run([str(word) for word in command], cwd=ROOT, env=env).returncode
    print(f"== {title}: {'ok' if code == 0 else f'failed ({code})'}, {time.monotonic() - begin:.0f} s", flush=True)
    return code


def configure(folder, *options):
    return step(f"configure {folder.relative_to(ROOT)}", "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *options,
                "--log-level=WARNING", "-DRIVULET_TESTS=ON")


def build_release():
    return configure(RELEASE, "-DCMAKE_BUILD_TYPE=Release") or step("build release", "ninja", "-C", RELEASE)


def build_checked(full):
    """Unit tests with clang, assertions in hot loops, and sanitizers; file by file where there is time for it."""
    return (configure(CHECKED, f"-DRIVULET_UNITY={'OFF' if full else 'ON'}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -g1", "-DCMAKE_C_COMPILER=clang",
                      "-DCMAKE_CXX_COMPILER=clang++", "-DRIVULET_CHECKED=ON", "-DRIVULET_SANITIZE=ON")
            or step("build checked", "ninja", "-C", CHECKED))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--quick", action="store_true", help="unit tests of the release build alone")
    kind.add_argument("--full", action="store_true", help="longer variants")
    arguments = parser.parse_args()
    env = dict(os.environ, RIVULET_FULL="1", RIVULET_FUZZ_SECONDS="600") if arguments.full else dict(os.environ)

    code = build_release()
    if code == 0 and not arguments.quick:
        code = build_checked(arguments.full)
    if code != 0:
        return 1
    label = ["-L", "unit"] if arguments.quick else []
    command = ["ctest", "--test-dir", RELEASE, "--output-on-failure", "-j", "2", *label]
    return 1 if step_quiet(command, env) else 0


def step_quiet(command, env):
    """The last command: nothing may follow its summary."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
