"""A column of water, a = 2.25 in wide and 2 a high, collapses on a dry floor: a slab four cells thick that slips along all
walls, without viscosity. The front Z = x/a over T = t √(2g/a) and the height at the back wall H = z/(2a) over τ = t √(g/a)
are compared with the experiment of J. C. Martin and W. J. Moyce, Phil. Trans. R. Soc. Lond. A 244 (1952) 312-324, from
Z = 1.4 on. Front and height are the outermost particles within a cell of the floor or wall, plus a quarter of a cell (half
the spacing of particles). The small size runs to Z = 5.5, the full size further.

The rows `square` of `martin_moyce_1952.csv` (tables 2 and 6) are used for this column too. They are labelled as a column as
high as wide, but their Z(T) is that of the rows `tall_a2.25` point by point, and read as a square column their mean depth
at T = 3.3, a/4.1, would be larger than the depth at the back wall, 0.23 a, which no collapsing column shows. The potential flow of a
square column (`collapse(height=1.0)`) is half as far again as table 2 from T = 1.2 on, and falls slower at the wall than table 6 says.

An experiment begins with a diaphragm that takes time to go, so its clock is uncertain at the start. Hence the second
figure of the front: with the experiment's clock moved so that both pass the first compared point together.

Which of the two is late is shown by a third answer, which shares nothing with the program: plane potential flow by a boundary integral, with nodes
that move with the surface (`potential_flow.py`). It is the exact flow of a liquid that slips and has no viscosity, to about half a percent of Z; its
first acceleration is that of the series in closed form, a_x(y) = g Σ tanh(k a) cos(k y)/(k a), k = (n + ½) π/(2a), which grows without bound towards the floor. Height and front of the run are
those of the potential flow; the front is about a cell behind, since the tip is thinner than a cell:
2 % of Z at 16 cells to the width, 0.5 % at 32. The experiment follows the same curves later by a constant time, about 0.27
in T (14 ms): its clock began before the water was free.
"""
import csv
import math
import pathlib
import sys

import numpy

from harness import at_most
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from potential_flow import collapse, column, initial_acceleration, normal_velocity  # noqa: E402
from svg_plot import Plot  # noqa: E402

TITLE = "Dam break of Martin and Moyce"
G, A = 9.81, 0.05715
SOURCE = "Martin and Moyce 1952"
EARLY = ("the front is ahead of the experiment by about 0.25 in T from the first points on, and so is that of potential flow: the experiment's "
         "clock begins before the water is free.")
POTENTIAL = "potential flow"


def measurements(folder, row, quantity):
    with open(folder / "martin_moyce_1952.csv") as file:
        rows = [r for r in csv.DictReader(file) if r["case"] == row and r["quantity"] == quantity]
    return numpy.array([float(r["time"]) for r in rows]), numpy.array([float(r["value"]) for r in rows])


def deviations(time, value, measured_time, measured):
    """Relative, at the measured points that the run covers."""
    covered = measured_time <= time[-1]
    return numpy.interp(measured_time[covered], time, value) / measured[covered] - 1


def against_potential_flow(tau, front, height, plot, folder):
    """Figures of the run, and of the experiment, beside plane potential flow; where Z is 1.4 or more."""
    time, place, top, lost = collapse(end=2.0, finest=0.012)
    plot.line("Z, potential flow", math.sqrt(2) * time, place, dashed=True)
    nodes = column(2.0, 0.05, lambda from_front: numpy.minimum(0.04, 0.01 + 0.1 * from_front))
    side = nodes[(nodes[:, 0] > 1 - 1e-6) & (nodes[:, 1] > 0.05) & (nodes[:, 1] < 1.8)]
    first = normal_velocity(nodes, -nodes[:, 1])[numpy.isin(nodes[:, 1], side[:, 1])] / initial_acceleration(side[:, 1], 2.0) - 1
    common = (tau <= time[-1]) & (front >= 1.4)
    ahead = front[common] / numpy.interp(tau[common], time, place) - 1
    apart = height[common] - numpy.interp(tau[common], time, top) / 2
    times, values = measurements(folder, "square", "Z")
    covered = (values >= 1.4) & (values <= place[-1])
    late = times[covered] - math.sqrt(2) * numpy.interp(values[covered], place, time)
    moved = numpy.interp((times[covered] - late.mean()) / math.sqrt(2), time, place) / values[covered] - 1
    return [
        at_most("potential flow: largest error of the first acceleration, as a share", numpy.abs(first).max(), 0.01, "series"),
        at_most("potential flow: area lost, as a share", lost, 0.005, "nothing is lost"),
        at_most("front, to T = 2.8: mean deviation", numpy.abs(ahead).mean(), 0.03, POTENTIAL),
        at_most("front, Z from 2.2 to 3.9: largest deviation", numpy.abs(ahead[front[common] >= 2.2]).max(), 0.03, POTENTIAL),
        at_most("height, to T = 2.8: largest deviation, as a share of the height at the start", numpy.abs(apart).max(), 0.01, POTENTIAL),
        at_most(f"table 2, clock moved by {late.mean():.2f}: mean deviation of the experiment's front", numpy.abs(moved).mean(), 0.02, POTENTIAL),
    ]


def judge(case):
    cells = 32 if case.full else 16
    cell = A / cells
    settings = {"simulation__cell_size": cell, "domain__upper": f"[0.9144, {4 * cell}, 0.17145]",
                "simulation__end_time": 0.45} if case.full else {}
    probes = case.run(**settings).probes()
    tau = probes["time"] * math.sqrt(G / A)
    t = math.sqrt(2) * tau
    front = (probes["front"] + cell / 4) / A
    height = (probes["height"] + cell / 4) / (2 * A)

    plot = Plot("Front Z over T and height 4 H over √2 τ", "T", "Z, 4 H")
    plot.line("Z, run", t, front)
    plot.line("4 H, run", t, 4 * height)
    figures = against_potential_flow(tau, front, height, plot, case.folder)
    for row, name in (("square", "table 2"), ("tall_a2.25", "figure 3")):
        times, values = measurements(case.folder, row, "Z")
        times, values = times[values >= 1.4], values[values >= 1.4]
        shift = numpy.interp(values[0], front, t) - times[0]
        raw = deviations(t, front, times, values)
        moved = deviations(t, front, times + shift, values)
        figures += [
            at_most(f"front, {name}: mean deviation", numpy.abs(raw).mean(), 0.08, SOURCE, known_miss=EARLY),
            at_most(f"front, {name}: largest deviation", numpy.abs(raw).max(), 0.08, SOURCE, known_miss=EARLY),
            at_most(f"front, {name}, clock moved by {-shift:.2f}: mean deviation", numpy.abs(moved).mean(), 0.08, SOURCE),
        ]
        plot.points(f"Z, {name}", times[times <= t[-1]], values[times <= t[-1]])
    times, values = measurements(case.folder, "square", "H")
    covered = times <= tau[-1]
    apart = deviations(tau, height, times, values)
    figures += [at_most("height, table 6: mean deviation", numpy.abs(apart).mean(), 0.08, SOURCE),
                at_most("height, table 6: largest deviation, as a share of the height at the start",
                        numpy.abs(apart * values[covered]).max(), 0.08, SOURCE)]
    plot.points("4 H, table 6", math.sqrt(2) * times[covered], 4 * values[covered])
    case.picture(plot)
    return figures
