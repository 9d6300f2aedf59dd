#!/usr/bin/env python3
"""Includes point to a lower layer or to the file's own folder; siblings do not see each other.

Usage: check_layers.py ROOT. Prints every offending include as file:line and exits 1 if there is one.
"""
import pathlib
import re
import sys

LAYERS = {
    "base": 0,
    "numerics": 1, "geometry": 1, "io": 1,
    "grid": 2, "elastic": 2, "rheology": 2, "contact": 2, "render": 2,
    "fluid": 3, "strands": 3, "wetting": 3,
    "sim": 4,
    "scene": 5,
    "run": 6,
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def offences(root: pathlib.Path):
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        module = path.relative_to(root / "src").parts[0]
        if module not in LAYERS:
            yield path, 0, f"folder '{module}' has no layer: add it to tools/check_layers.py and ARCHITECTURE.md"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1).split("/")[0] if "/" in match.group(1) else module
            if target == "rivulet":
                if module != "run":
                    yield path, number, "only src/run implements the public headers"
            elif target not in LAYERS:
                yield path, number, f"include of unknown folder '{target}'"
            elif target != module and LAYERS[target] >= LAYERS[module]:
                yield path, number, f"'{module}' (layer {LAYERS[module]}) includes '{target}' (layer {LAYERS[target]})"
    for path in sorted((root / "apps").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match and "/" in match.group(1) and not match.group(1).startswith("rivulet/"):
                yield path, number, "apps use include/rivulet only"


def main() -> int:
    found = [f"{path}:{number}: {what}" for path, number, what in offences(pathlib.Path(sys.argv[1]))]
    print("\n".join(found) if found else "layers: every include points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
