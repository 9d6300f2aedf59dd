#!/usr/bin/env python3
"""clang-tidy (.clang-tidy) on the sources. Usage: check_tidy.py ROOT BUILD

BUILD is a build folder made with clang: its compile_commands.json is used. A file is checked again only if it, a header
of ours or the configuration changed since it was last found clean. The files that include OpenVDB are left out: a minute
each for a few lines of ours.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys


def fingerprint(root, path):
    """Changes with the file, any header, the checks."""
    digest = hashlib.sha256()
    for name in [path, root / ".clang-tidy", *sorted(root.glob("src/**/*.h")), *sorted(root.glob("include/**/*.h"))]:
        digest.update(name.read_bytes())
    return digest.hexdigest()


def check(root, build, path):
    stamp = build / "tidy" / (str(path.relative_to(root)).replace("/", "_") + ".clean")
    now = fingerprint(root, path)
    if stamp.exists() and stamp.read_text() == now:
        return 0, ""
    done = subprocess.run(["clang-tidy", "--quiet", "-p", str(build), str(path)], capture_output=True, text=True)
    if done.returncode == 0:
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(now)
    return done.returncode, done.stdout


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    files = [path for path in sorted([*root.glob("src/**/*.cpp"), *root.glob("apps/**/*.cpp")])
             if "openvdb/" not in path.read_text()]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (code, text) in zip(files, pool.map(lambda p: check(root, build, p), files)):
            if code != 0:
                failed += 1
                print(f"{path.relative_to(root)}\n{text}", flush=True)
    print(f"clang-tidy: {len(files) - failed} of {len(files)} files clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
