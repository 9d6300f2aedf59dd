#!/usr/bin/python3
"""Both laws of contact between wet hairs in steps of 0.5 to 16 ms. Two hairs that are pulled apart (the gallery's scene, judged as in the case
of that name); two bristles whose roots are held 4 mm apart, which part at the elastocapillary length L⁴ = 9 EI d²/G, G the work of the bridges
(judged at 10 %); a bundle of seven hairs that is swung (one clump at the tips, no two inside of each other by more than 0.3 radii, no
contact missed); and wet scenes of the gallery, judged by their [test] tables. Steps that are repeated with less time are not met either, nor
are runs that take longer than --limit. The default is the law that meets them at the largest step.
"""
import argparse
import math
import os
import pathlib
import re
import resource
import subprocess
import sys

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
import harness  # noqa: E402
from svg_plot import Plot  # noqa: E402

LAWS = ("cone", "penalty")
RADIUS, OPEN = 50e-6, 12


def settings(law, step):
    return {"simulation__strand_contact": law, "simulation__strand_step": f"{step:g} ms", "simulation__max_step": f"{step:g} ms"}


def frames(run):
    """Positions of the strands, frame by frame."""
    for path in sorted((run.folder / "frames").glob("*.h5")):
        with h5py.File(path) as file:
            first = file["strands/first"][:].flatten()
            yield numpy.split(file["strands/position"][:].astype(float), first[1:-1])


def pulled_apart(run):
    """Numbers of the case pull_apart: the front never goes back, ends between a tenth and nine tenths, and below it the hairs touch."""
    apart = numpy.array([numpy.linalg.norm(one - other, axis=1) for one, other in frames(run)]) / RADIUS
    edges = apart.shape[1] - 1
    front = [int(numpy.argmin(row[1:] > OPEN)) + 1 for row in apart]
    below = [row[f + 4:] for k, (row, f) in enumerate(zip(apart, front)) if k / 24 > 0.2]
    far, near = max(part.max() for part in below), min(part.min() for part in below)
    return (numpy.diff(front).min() >= 0 and 0.1 <= front[-1] / edges <= 0.9 and far <= 6.5 and near >= 1.85,
            f"front {100 * front[-1] / edges:.0f} %, {near:.2f} to {far:.2f} r")


def work_of_parting(area, theta, sigma):
    """Of two strands joined by a bridge, by slices of the closed form for equal strands [J/m]."""
    rupture = (1 + theta / 2) * math.sqrt(area)

    def of_angle(alpha, gap):
        beta, x = math.pi / 2 - theta - alpha, gap + 2 * RADIUS * (1 - math.cos(alpha))
        arc = (beta - math.sin(beta) * math.cos(beta)) / math.sin(beta) ** 2 if abs(beta) > 1e-4 else 2 / 3 * beta
        section = (2 * x * RADIUS * math.sin(alpha) - 2 * RADIUS ** 2 * (alpha - math.sin(alpha) * math.cos(alpha))
                   - x * x / 2 * arc)
        return section, 2 * sigma * (math.sin(theta + alpha) + 2 * math.cos(theta + alpha) / x * RADIUS * math.sin(alpha))

    total, n = 0, 400
    for k in range(n):
        gap, low, high = (k + 0.5) / n * rupture, 1e-9, math.pi - theta
        if of_angle(high, gap)[0] < area:
            continue  # more than a bridge holds: no pull
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if of_angle(middle, gap)[0] < area else (low, middle)
        total += max(0, of_angle(low, gap)[1]) * rupture / n
    return total


def parted(run):
    apart = [numpy.linalg.norm(one - other, axis=1) for one, other in frames(run)][-1]
    edge, half = 0.047 / (len(apart) - 1), 0.5 * (apart[0] + apart[-1])
    k = int(numpy.argmax(apart[1:] <= half))
    length = 2 * edge * (k + (apart[k] - half) / (apart[k] - apart[k + 1]) - 0.5)  # it leaves the clamp in the middle of an edge
    area = 2 * math.pi * 70e-6 * (70e-6 + 2 * RADIUS)
    stiffness = 3.4e8 * math.pi * RADIUS ** 4 / 4
    law = (9 * stiffness * apart[0] ** 2 / work_of_parting(area, math.pi / 3, 0.0206)) ** 0.25
    return abs(length / law - 1) <= 0.1, f"{100 * (length / law - 1):+.1f} %"


def swung(run):
    radius, nearest = 40e-6, math.inf
    for strands in frames(run):
        points = numpy.array(strands)
        for i in range(len(points)):
            for j in range(i):
                nearest = min(nearest, distance_of(points[i], points[j])[2:].min() / radius)
    tip = points[:, -1]
    reached = {0}
    while True:
        more = {j for j in range(len(tip)) for i in reached if numpy.linalg.norm(tip[i] - tip[j]) < 6 * radius} - reached
        if not more:
            break
        reached |= more
    return nearest >= 1.7 and len(reached) == len(tip), f"nearest {nearest:.2f} r, {len(reached)} of {len(tip)} in the clump"


def distance_of(points, others):
    """Of vertices of a strand from another strand."""
    start, way = others[:-1], numpy.diff(others, axis=0)
    at = numpy.clip(((points[:, None] - start) * way).sum(2) / (way * way).sum(1), 0, 1)
    return numpy.linalg.norm(start + at[..., None] * way - points[:, None], axis=2).min(axis=1)


def by_tests(run):
    """The scene's [test] table alone says whether it is met."""
    return True, ""


SCENES = {"pulled apart": ("scenes/pull_apart.toml", pulled_apart), "parting length": ("validation/contact_laws/parting.toml", parted),
          "swung bundle": ("validation/contact_laws/bundle.toml", swung), "coalescence_tree": ("scenes/coalescence_tree.toml", by_tests),
          "wringing": ("scenes/wringing.toml", by_tests), "wet_whip": ("scenes/wet_whip.toml", by_tests)}


def main():
    """Prints the table, and writes a plot of CPU times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=float, nargs="+", default=[0.5, 1, 2, 4, 8, 16], help="in ms")
    parser.add_argument("--scene", action="append", choices=list(SCENES), help="only this one; may be repeated")
    parser.add_argument("--law", action="append", choices=LAWS, help="only this one")
    parser.add_argument("--limit", type=int, default=300, help="CPU seconds after which a run is stopped")
    parser.add_argument("--out", type=pathlib.Path, default=harness.ROOT / "build/contact_laws", help="folder for runs and the plot")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    plot = Plot("CPU time", "step [ms]", "s")
    print("| scene | law | step | numbers | measured | steps repeated | contacts missed | CPU s |\n|---|---|---|---|---|---|---|---|")
    for name in arguments.scene or SCENES:
        for law in arguments.law or LAWS:
            seconds = [compare(arguments, name, law, step) for step in arguments.steps]
            plot.line(f"{name}, {law}", arguments.steps, seconds, dashed=law == "penalty")
    (arguments.out / "contact_laws.svg").write_text(plot.svg())


def run_of(arguments, scene, label, sets):
    """The run, and what the program printed: on one thread, stopped at the limit."""
    out = arguments.out.resolve() / label
    words = [word for key, value in sets.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]
    done = subprocess.run([os.environ.get("RIVULET_BIN", str(harness.ROOT / "rivulet")), "run", scene, *words, "--out", str(out), "--force",
                           "--threads", "1", "--progress", "none"], cwd=harness.ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (arguments.limit, arguments.limit)))
    return harness.Run(out), done


def compare(arguments, name, law, step):
    """Prints a row of the table; CPU seconds."""
    scene, numbers = SCENES[name]
    run, done = run_of(arguments, scene, f"{name.replace(' ', '-')}-{law}-{step:g}", settings(law, step))
    row = f"| {name} | {law} | {step:g} ms |"
    steps = run.table("steps.csv")
    repeated = int(steps["retries"].sum())
    if done.returncode not in (0, 3):  # 3: a number of [test] is missed
        reason = "ended by the limit" if done.returncode < 0 else f"exit {done.returncode}"
        print(f"{row} **missed** | {reason}, at {steps['time'][-1]:.3f} s | {repeated} | | {arguments.limit if done.returncode < 0 else 0} |",
              flush=True)
        return math.nan
    report = run.report()
    missed = report["strands"]["missed_contacts"]
    met, text = numbers(run)
    off = [f"{test} {float(value):.3g}" for test, value in re.findall(r"^(\w+): measured (\S+),.*: missed$", done.stdout, re.MULTILINE)]
    mark = "met" if met and not off and not repeated and not missed else "**missed**"
    print(f"{row} {mark} | {'; '.join(filter(None, [text, *off]))} | {repeated} | {missed} | {report['cpu_s']:.1f} |", flush=True)
    return report["cpu_s"]


if __name__ == "__main__":
    main()
