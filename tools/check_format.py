#!/usr/bin/env python3
"""Every C++ file of ours is as clang-format would write it. Usage: check_format.py ROOT"""
import pathlib
import subprocess
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    files = [path for folder in ("src", "include", "apps", "tests", "bench", "fuzz") for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cpp")]
    return subprocess.run(["clang-format", "--dry-run", "-Werror", *map(str, files)]).returncode


if __name__ == "__main__":
    sys.exit(main())
