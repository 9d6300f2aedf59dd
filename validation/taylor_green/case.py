"""Four vortices fill a smooth tank of 40 cm to its lid: u = U sin(kx) cos(ky), v = -U cos(kx) sin(ky). They solve the equations of
Navier and Stokes exactly (Taylor and Green): the shape stays, and the speed falls as exp(-2 ν k² t), here to 61 % at a Reynolds
number of 20. The error is the root mean square over the particles, as a share of that of the exact velocity. Halving the cells
and the steps together shows the order of the whole; halving the steps alone, that in time. After half time the lattice of particles is drawn out
between the vortices until cells are empty (0 of 16 384 after 0.05 s, some hundreds after 0.1 s at 32 cells across a vortex). Such gaps
count as liquid.
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


def error(run, frame=2):
    liquid = run.frame(frame)
    expected = exact(liquid["position"], frame * END / 2)
    return math.sqrt(((liquid["velocity"] - expected) ** 2).sum() / (expected**2).sum())


def judge(case):
    levels = [1, 2, 4] if case.full else [1, 2]
    runs = [case.run(label=f"both{n}", simulation__cell_size=f"{12.5 / n} mm", simulation__max_step=f"{5 / n} ms",
                     domain__upper=f"0.4 0.4 {0.05 / n} m") for n in levels]
    both, early = [error(run) for run in runs], [error(run, 1) for run in runs]
    steps = [error(case.run(label=f"steps{n}", simulation__max_step=f"{5 / n} ms")) for n in levels]
    plot = Plot("Error of the velocity", "times halved", "log10 of the relative error")
    plot.points("cells and steps halved together", [math.log2(n) for n in levels], [math.log10(e) for e in both])
    plot.points("cells and steps, at half time", [math.log2(n) for n in levels], [math.log10(e) for e in early])
    plot.points("steps alone", [math.log2(n) for n in levels], [math.log10(e) for e in steps])
    case.picture(plot)
    return [
        at_most("error of the velocity, 16 cells across a vortex", both[0], 0.015, "Taylor and Green"),
        at_most("error of the velocity, 32 cells across a vortex", both[1], 0.005, "Taylor and Green"),
        Figure("order at half time, cells and steps together", math.log2(early[-2] / early[-1]), 2, 0.5, "as designed", relative=False),
        Figure("order at the end, cells and steps together", math.log2(both[-2] / both[-1]), 2, 0.75, "as designed", relative=False),
    ]
