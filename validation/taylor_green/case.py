"""Four vortices fill a smooth tank of 40 cm to its lid: u = U sin(kx) cos(ky), v = -U cos(kx) sin(ky). They solve the equations of
Navier and Stokes exactly (Taylor and Green): the shape stays, and the speed falls as exp(-2 ν k² t), here to 61 % at a Reynolds
number of 20. The error is the root mean square over the particles, as a share of that of the exact velocity. Halving the cells
and the steps together shows the order of the whole. Designed is 2, in space and in time: quadratic splines, centred
differences, forces at half steps. At walls it is 1: faces in walls take the mean of those beside them. In a layer as thin as a
cell that makes 3/2 of the root mean square; two thirds of the square of the error are within a cell of 12.5 mm of the walls at
half time, where it falls with the power 1.56. Farther inside it is 2. The order in time is that of what halving the steps alone
changes, from steps of 25 to 12.5 and on to 6.25 ms: the logarithm to base 2 of the ratio of both differences of the velocity of
the same particles, root mean square over all. The cells of 12.5 mm, which are the same in all three runs, drop out of it.
Shorter steps say nothing about it: every step loses a little between particles and grid, which is an error of space, and from
about 6 ms on that is lost more often rather than the steps being more exact. After half time the lattice of particles is drawn
out between the vortices until cells are empty (0 of 16 384 after 0.05 s, some hundreds after 0.1 s at 32 cells across a
vortex). Such gaps count as liquid.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Taylor-Green vortices"
SPEED, SIZE, NU, END = 1.0, 0.2, 0.01, 0.1


def exact(position, time):
    k = math.pi / SIZE
    x, y = k * position[:, 0], k * position[:, 1]
    return SPEED * math.exp(-2 * NU * k * k * time) * numpy.stack(
        [numpy.sin(x) * numpy.cos(y), -numpy.cos(x) * numpy.sin(y), 0 * x], axis=1)


def error(run, frame=2, beyond=0.0):
    """Of the particles farther than `beyond` from the walls; as a share of the velocity of all."""
    liquid = run.frame(frame)
    expected = exact(liquid["position"], frame * END / 2)
    place = liquid["position"][:, :2]
    inside = numpy.minimum(place, 2 * SIZE - place).min(axis=1) >= beyond
    return math.sqrt(((liquid["velocity"] - expected)[inside] ** 2).sum() / (expected**2).sum())


def change(run, other):
    """Of the velocity of the same particles at the end, root mean square."""
    one, two = run.frame(2), other.frame(2)
    _, i, j = numpy.intersect1d(one["id"], two["id"], return_indices=True)
    return math.sqrt(((one["velocity"][i] - two["velocity"][j]) ** 2).sum(axis=1).mean())


def judge(case):
    levels = [1, 2, 4] if case.full else [1, 2]
    runs = [case.run(label=f"both{n}", simulation__cell_size=f"{12.5 / n} mm", simulation__max_step=f"{5 / n} ms",
                     domain__upper=f"0.4 0.4 {0.05 / n} m") for n in levels]
    both, early, inner = [error(run) for run in runs], [error(run, 1) for run in runs], [error(run, 1, 0.0125) for run in runs]
    steps = [case.run(label=f"steps{n}", simulation__max_step=f"{25 / n} ms", simulation__cfl=4) for n in (1, 2, 4, 8)]
    plot = Plot("Error of the velocity", "times halved", "log10 of the relative error")
    plot.points("cells and steps halved together", [math.log2(n) for n in levels], [math.log10(e) for e in both])
    plot.points("cells and steps, at half time", [math.log2(n) for n in levels], [math.log10(e) for e in early])
    plot.points("steps alone, from 25 ms on", range(len(steps)), [math.log10(error(run)) for run in steps])
    case.picture(plot)
    return [
        at_most("error of the velocity, 16 cells across a vortex", both[0], 0.015, "Taylor and Green"),
        at_most("error of the velocity, 32 cells across a vortex", both[1], 0.005, "Taylor and Green"),
        Figure("order at half time, cells and steps together", math.log2(early[-2] / early[-1]), 2, 0.5, "as designed", relative=False),
        Figure("the same, farther than 12.5 mm from the walls", math.log2(inner[-2] / inner[-1]), 2, 0.25, "as designed", relative=False),
        Figure("order at the end, cells and steps together", math.log2(both[-2] / both[-1]), 2, 0.75, "as designed", relative=False),
        Figure("order in time, steps of 25, 12.5 and 6.25 ms", math.log2(change(*steps[:2]) / change(*steps[1:3])), 2, 0.25, "as designed",
               relative=False),
    ]
