"""Two hairs in one film of oil, whose roots move apart by 1 cm each in 1.5 s: the gallery's scene, in steps of 1 ms. Without bridges the middles
follow the roots. With them the lower parts stay together, and a front between open and closed goes down and never back. The film is so thick
that its bridges push nothing and pull nothing between 2 and 5.9 radii, so that this is all the law says of where the pair rests.
With a hundredth of the surface tension weight and bending exceed what holds them: they part.
"""
import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Two wet hairs are pulled apart"
RADIUS, EDGES, FRAMES = 50e-6, 41, 36
OPEN = 12  # radii: farther than a bridge reaches
STEP = {"simulation__strand_step": "1 ms", "simulation__max_step": "1 ms"}
UNTESTED = {"test__tips_are_held_together__tolerance": "1 m", "test__the_middle_has_opened__tolerance": "1 m"}


def distances(run):
    """Of the two hairs from each other, at every vertex of every frame [m]."""
    return numpy.array([numpy.linalg.norm(run.strand(k, "one") - run.strand(k, "other"), axis=1) for k in range(FRAMES + 1)])


def lag(distance, time):
    """Longest time by which the middle is behind the roots [s], after the first tenth of a second."""
    roots, middle = distance[:, 0], distance[:, EDGES // 2]
    return max(t - numpy.interp(d, roots, time) for t, d in zip(time, middle) if t > 0.1)


def judge(case):
    wet = case.run("scenes/pull_apart.toml", label="wet", **STEP)
    dry = case.run("scenes/pull_apart.toml", label="dry", wetting__bridges="false", **STEP, **UNTESTED)
    weak = case.run("scenes/pull_apart.toml", label="weak", liquids__oil__surface_tension="0.2 dyn/cm", **STEP, **UNTESTED)
    time = numpy.arange(FRAMES + 1) / 24
    apart = distances(wet)
    front = [int(numpy.argmin(row[1:] > OPEN * RADIUS)) + 1 for row in apart]  # first vertex that is not open
    below = [row[f + 4:] / RADIUS for row, f, t in zip(apart, front, time) if t > 0.2]
    plot = Plot("Distance of the hairs at the end", "from the roots [mm]", "distance [mm]")
    for name, run in (("with bridges", wet), ("without", dry), ("a hundredth of the tension", weak)):
        plot.line(name, numpy.arange(EDGES + 1) * 47 / EDGES, 1000 * distances(run)[-1])
    case.picture(plot)
    tips = distances(weak)[-1][-1]
    return [
        at_most("without bridges: lag of the middle, in s", lag(distances(dry), time), 0.2, "it follows the roots"),
        at_most("furthest that the front went back, in vertices", max(0, -numpy.diff(front).min()), 0, "it goes down"),
        Figure("front at the end: part of the hair that is open", front[-1] / EDGES, 0.5, 0.4, "neither shut nor parted", relative=False),
        at_most("largest distance below the front, in radii", max(part.max() for part in below), 6.5, "bridges pull from 5.9 on"),
        at_most("deepest overlap below the front, in radii", max(0, 2 - min(part.min() for part in below)), 0.15, "they touch at 2"),
        Figure("a hundredth of the tension: distance of the tips", tips, distances(weak)[-1][0], 0.1, "that of the roots", unit="m"),
    ]
