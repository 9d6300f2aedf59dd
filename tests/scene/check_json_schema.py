#!/usr/bin/env python3
"""The JSON schema for editors accepts every file of the gallery, those that include others too, and refuses scenes that
the program refuses.

Usage: check_json_schema.py ROOT
"""
import copy
import json
import pathlib
import sys
import tomllib

import jsonschema

SMALL = {
    "simulation": {"cell_size": "1 cm"},
    "domain": {"lower": [0, 0, 0], "upper": "1 1 1 m"},
    "liquids": {"water": {}},
    "bodies": {"b": {"liquid": "water", "shape": {"type": "sphere", "radius": 0.1}}},
    "probes": {"p": {"kind": "force", "object": "b"}},
}
# What to put where (a path and a value; None takes the key away) so that the scene is wrong.
MISTAKES = [
    (["simulation", "cell_size"], -1),
    (["simulation", "cell_size"], True),
    (["simulation", "cell_size"], "wide"),
    (["simulation", "cell_size"], None),
    (["simulation", "cel_size"], 1),
    (["simulation", "seed"], 1.5),
    (["domain"], None),
    (["domain", "lower"], [0, 0]),
    (["domain", "walls"], {"+w": "open"}),
    (["domain", "walls"], {"+x": "ajar"}),
    (["liquids", "water", "material"], "lava"),
    (["bodies", "b", "liquid"], None),
    (["bodies", "b", "shape", "radius"], None),
    (["bodies", "b", "shape", "radius"], 0),
    (["bodies", "b", "shape", "type"], "blob"),
    (["bodies", "b", "shape"], {"type": "union", "shapes": [{"type": "sphere"}]}),
    (["probes", "p", "object"], None),
    (["probes", "p", "kind"], "guess"),
]


def changed(scene, path, value):
    scene = copy.deepcopy(scene)
    table = scene
    for key in path[:-1]:
        table = table[key]
    if value is None:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    return scene


def is_left_out(path, value) -> bool:
    return value is None or path[-1] == "shape"


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    schema = json.loads((root / "scenes" / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = [f"good scene refused: {error.message}" for error in validator.iter_errors(SMALL)]
    scenes = sorted((root / "scenes").glob("*.toml"))
    for path in scenes:
        scene = tomllib.loads(path.read_text())  # one file, as an editor sees it
        failures += [f"{path.name}: {error.json_path}: {error.message}" for error in validator.iter_errors(scene)]
    failures += [f"accepted: {path} = {value}" for path, value in MISTAKES if validator.is_valid(changed(SMALL, path, value))]
    # What is left out may stand in an included file; what is wrong is wrong all the same.
    part = {"include": ["whole.toml"], **SMALL}
    for path, value in MISTAKES:
        if validator.is_valid(changed(part, path, value)) != is_left_out(path, value):
            failures.append(f"with include, {'refused' if is_left_out(path, value) else 'accepted'}: {path} = {value}")
    print("\n".join(failures) if failures else f"json schema: {len(scenes)} scenes accepted, {len(MISTAKES)} mistakes refused")
    return 1 if failures or not scenes else 0


if __name__ == "__main__":
    sys.exit(main())
