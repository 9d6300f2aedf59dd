#!/usr/bin/env python3
"""clang-tidy (.clang-tidy) on the sources. Usage: check_tidy.py ROOT BUILD

BUILD is a build folder made with clang; what is compiled there at once (compile_commands.json) is checked at once, since
most of the time goes into the headers. A unit is checked again only if a source of its own, a header of ours or the
configuration changed since it was last found clean. The files that include OpenVDB are left out: a minute each for a few
lines of ours.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys


def sources_of(unit):
    """The files that a unit is made of: those which a unity file includes, or itself."""
    included = re.findall(r'#include "(.*\.cpp)"', unit.read_text())
    return [pathlib.Path(name) for name in included] or [unit]


def units(root, build):
    """(unit, its sources) of src/, apps/ and bench/."""
    checked = (root / "src", root / "apps", root / "bench")
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = pathlib.Path(entry["file"])
        sources = sources_of(unit)
        ours = all(any(folder in path.parents for folder in checked) for path in sources)
        if ours and not any("openvdb/" in path.read_text() for path in sources):
            yield unit, sources


def fingerprint(root, sources):
    """Changes with the sources, any header, the checks."""
    digest = hashlib.sha256()
    headers = [path for folder in ("src", "include", "apps", "bench") for path in sorted(root.glob(f"{folder}/**/*.h"))]
    for name in [*sources, root / ".clang-tidy", *headers]:
        digest.update(name.read_bytes())
    return digest.hexdigest()


def check(root, build, unit, sources):
    stamp = build / "tidy" / (str(sources[0].relative_to(root)).replace("/", "_") + ".clean")
    now = fingerprint(root, sources)
    if stamp.exists() and stamp.read_text() == now:
        return 0, ""
    done = subprocess.run(["clang-tidy", "--quiet", "-p", str(build), str(unit)], capture_output=True, text=True)
    if done.returncode == 0:
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(now)
    return done.returncode, done.stdout


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    found = list(units(root, build))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (unit, sources), (code, text) in zip(found, pool.map(lambda u: check(root, build, *u), found)):
            if code != 0:
                failed += 1
                print(f"{', '.join(str(path.relative_to(root)) for path in sources)}\n{text}", flush=True)
    print(f"clang-tidy: {len(found) - failed} of {len(found)} units clean, {sum(len(s) for _, s in found)} files")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
