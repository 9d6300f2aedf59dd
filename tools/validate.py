#!/usr/bin/python3
"""Runs the validation cases: physics with known answers. Usage: tools/validate.py [--case NAME]... [--full [--keep]] [--no-page]

Each folder validation/NAME holds scenes and a case.py that runs them with `rivulet run` and judges the numbers. The
small sizes run always, the larger ones with --full; --keep then writes their figures to validation/NAME/full.json, with the
commit that they are of. docs/validation.md is written from the results at hand: those of this call, of earlier ones for the
rest, and of full sizes that were not run those kept; as long as a case has none it is left as it is. Exits 1 when a figure misses its bound without a known reason, or reaches
it in spite of one.
"""
import argparse
import dataclasses
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "validation"))
sys.dont_write_bytecode = True
import harness  # noqa: E402

# In the order of the page.
CASES = ["hydrostatic", "standing_wave", "capillary_wave", "oscillating_drop",
         "sessile_drop", "taylor_green", "poiseuille", "couette", "stokes_sphere", "dam_break", "free_jet", "square_tank", "round_tank",
         "spinning_column", "slosh", "filling", "cantilever", "bending_frequencies", "hanging_helix", "catenary", "column",
         "twisted_rod", "capstan", "incline", "rod_stability", "pull_apart", "coalescence_tree", "rotating_strand", "wet_pendulum",
         "curly_strand", "capture", "strand_drag", "drop_and_hairs", "volume_audit"]
SIZES = ["small", "full"]
# How far a figure may be from what the page says, as a share of its bound: compilers and machines differ, runs do not.
PAGE_TOLERANCE = 0.25


def judge_of(name):
    """The module validation/NAME/case.py."""
    spec = importlib.util.spec_from_file_location(f"case_{name}", ROOT / "validation" / name / "case.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept_path(name):
    return ROOT / "validation" / name / "full.json"


def result_of(name, size, out):
    """What a run of the case gave, in `out` or, of a full size, kept; None where there is neither."""
    path = out / f"{name}-{size}.json"
    if not path.exists() and size == "full":
        path = kept_path(name)
    return json.loads(path.read_text()) if path.exists() else None


def run_case(name, full, binary, out, keep=False):
    case = harness.Case(name, full, binary, out / "runs", out / "images")
    figures = judge_of(name).judge(case)
    result = {"commands": case.commands, "figures": [dataclasses.asdict(f) for f in figures]}
    (out / f"{name}-{case.size}.json").write_text(json.dumps(result, indent=1))
    if full and keep:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
        kept_path(name).write_text(json.dumps({"commit": commit, **result}, indent=1) + "\n")
    for figure in figures:
        print(f"{name} {case.size}: {figure.what}: {shown(figure.measured)} {figure.unit}, expected {shown(figure.expected)}, "
              f"deviation {deviation_text(figure)}, bound {bound_text(figure)}: {verdict(figure)}", flush=True)
    print(f"{name} {case.size}: {case.cpu_seconds:.1f} s of CPU time", flush=True)
    return [f for f in figures if f.passed == bool(f.known_miss)]


def shown(value):
    return f"{value:.4g}"


def deviation_text(figure):
    return f"{100 * figure.deviation:+.2g} %" if figure.relative else f"{figure.deviation:.2g}"


def bound_text(figure):
    if figure.is_least:
        return "at least"
    return f"{100 * figure.bound:.3g} %" if figure.relative else f"{figure.bound:.3g}"


def verdict(figure):
    return "reached" if figure.passed else "missed"


def row(size, figure):
    """A figure as a row of the page's table."""
    f = figure
    mark = "reached" if f.passed else "**missed**"
    return (f"| {size} | {f.what} | {shown(f.measured)} {f.unit} | {shown(f.expected)} {f.unit} | {f.source} | "
            f"{deviation_text(f)} | {bound_text(f)} | {mark} |")


def section(name, out):
    """The page's section of one case, from the stored results."""
    module = judge_of(name)
    lines = [f"## {module.TITLE}", "", module.__doc__.strip(), ""]
    rows, notes, commands = [], [], []
    for size in SIZES:
        result = result_of(name, size, out)
        if result is None:
            continue
        if "commit" in result:
            notes.append(f"The {size} size was run with commit {result['commit']}.")
        commands += [c for c in result["commands"] if c not in commands]
        for entry in result["figures"]:
            f = harness.Figure(**entry)
            rows.append(row(size, f))
            if f.known_miss and f"Missed: {f.known_miss}" not in notes:
                notes.append(f"Missed: {f.known_miss}")
    if not rows:
        return lines + ["Not run.", ""]
    lines += ["| size | compared | measured | expected | source | deviation | bound | |",
              "|---|---|---|---|---|---|---|---|", *rows, ""]
    lines += [line for note in notes for line in (note, "")]
    lines += [line for command in commands for line in (f"`{command}`", "")]
    images = [f"{name}-{size}.svg" for size in SIZES if (out / "images" / f"{name}-{size}.svg").exists()]
    return lines + [f"![{module.TITLE}](images/validation/{images[-1]})", ""]


def page_differences(page, names, out):
    """What the text of docs/validation.md says otherwise than the small sizes whose results are in `out` and the full ones
    kept, a line each."""
    differences = []
    for name in names:
        written = "\n".join(section(name, out)).splitlines()
        begin = page.find(written[0] + "\n")
        lines = page[begin:].split("\n## ")[0].splitlines() if begin >= 0 else []
        rows = {line.split(" | ")[1]: line for line in lines if line.startswith("| small |")}
        result = json.loads((out / f"{name}-small.json").read_text())
        figures = {f.what: f for f in (harness.Figure(**entry) for entry in result["figures"])}
        differences += [f"{name}: {what}: on the page alone" for what in rows if what not in figures]
        differences += [f"{name}: {what}: not on the page" for what in figures if what not in rows]
        for what, figure in figures.items():
            if what in rows and not agrees(rows[what], figure):
                differences.append(f"{name}: the page has {rows[what]}, a run now gives {row('small', figure)}")
        differences += [f"{name}: not on the page: {line}" for line in written
                        if line not in lines and not line.startswith(("| small |", "!["))]
    rows = [line for line in page.splitlines() if line.startswith(("| small |", "| full |"))]
    count = f"{sum(line.endswith('| reached |') for line in rows)} of {len(rows)} figures are within their bounds."
    return differences + ([] if count in page else [f"the page does not say: {count}"])


def agrees(line, figure):
    """Whether a row of the page is that of the figure, but for what a compiler may change of the measured number."""
    cells, now = line.split(" | "), row("small", figure).split(" | ")
    written = float(cells[2].split()[0])
    bound = figure.bound * (abs(figure.expected) if figure.relative else 1)
    is_near = abs(written - figure.measured) <= max(PAGE_TOLERANCE * bound, 1e-3 * abs(figure.measured))
    same = [i for i in range(len(now)) if i not in (2, 5)]  # measured, and its deviation
    return is_near and len(cells) == len(now) and all(cells[i] == now[i] for i in same)


def totals(out):
    results = [result_of(name, size, out) for name in CASES for size in SIZES]
    figures = [harness.Figure(**entry) for result in results if result for entry in result["figures"]]
    return len(figures), sum(f.passed for f in figures)


def write_page(out):
    images = ROOT / "docs/images/validation"
    shutil.rmtree(images, ignore_errors=True)
    images.mkdir(parents=True)
    sections = [line for name in CASES for line in section(name, out)]
    for image in sorted((out / "images").glob("*.svg")):
        if f"/{image.name})" in "\n".join(sections):
            shutil.copy(image, images / image.name)
    count, reached = totals(out)
    head = ["# Validation", "",
            "Generated by `tools/validate.py` from runs of the program. Do not edit.", "",
            "Every case is a scene with a known answer, run by the command shown and read from the run folder: no special paths.",
            "A figure that misses its bound says so. The test command runs the small sizes; `tools/validate.py --full` runs all.", "",
            f"{reached} of {count} figures are within their bounds.", ""]
    (ROOT / "docs/validation.md").write_text("\n".join(head + sections).rstrip() + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", choices=CASES, help="only this one; may be repeated")
    parser.add_argument("--full", action="store_true", help="the larger sizes too")
    parser.add_argument("--keep", action="store_true", help="writes the figures of the larger sizes to validation/NAME/full.json")
    parser.add_argument("--no-page", action="store_true", help="leave docs/validation.md alone")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/validation_runs", help="folder for runs and results")
    arguments = parser.parse_args()
    binary = os.environ.get("RIVULET_BIN", str(ROOT / "rivulet"))
    arguments.out.mkdir(parents=True, exist_ok=True)
    surprises = []
    for name in arguments.case or CASES:
        for full in (False, True) if arguments.full else (False,):
            surprises += run_case(name, full, binary, arguments.out.resolve(), arguments.keep)
    missing = [name for name in CASES if result_of(name, "small", arguments.out) is None]
    if not arguments.no_page and missing:
        print(f"docs/validation.md is left as it is: not run yet: {', '.join(missing)}", file=sys.stderr)
    elif not arguments.no_page:
        write_page(arguments.out)
    for figure in surprises:
        print(f"{figure.what}: {verdict(figure)}" + (", though known as missed" if figure.known_miss else ""), file=sys.stderr)
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
