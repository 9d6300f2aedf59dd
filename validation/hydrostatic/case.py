"""A closed tank, 32 × 16 cells wide and filled 20 cells deep, with a ball in it whose surface cuts cells everywhere. Nothing
moves, the pressure is that of the depth, and the ball is pushed up with the weight of the water that it displaces
(Archimedes). The pressure is compared at the centres of the particles' cells. In a second run the ball is rough
(`friction = 1`). In a third there are gaps narrower than a cell: of 3 mm between a box and the floor, of 5 mm between two
boxes and two planes of the grid. In a fourth the level lies between two planes of the grid, in a fifth so does that of a
pool that a box and a ball pierce; solids that cut cells at the surface leave its level uncertain by some hundredths of a
cell, so that water does not come to rest entirely there.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Water at rest"
RHO, G, DEPTH, CELL, RADIUS = 1000, 9.81, 0.2, 0.01, 0.043
LEVEL = 0.2035  # between planes of the grid [m]
PIERCED = 0.1925  # level around the bodies that pierce it [m]
BOXES = {"low": 0.12 * 0.12 * 0.08, "left": 0.0623 * 0.12 * 0.118, "right": 0.0627 * 0.12 * 0.118}  # volumes [m³]


def judge(case):
    fine = {"simulation__cell_size": "5 mm"} if case.full else {}
    run = case.run(**fine)
    rough = case.run(label="rough", obstacles__ball__friction=1, **fine).probes()
    gaps = case.run("gaps.toml", label="gaps", **fine).probes()
    between = case.run(label="between", bodies__pool__shape__upper=f"0.32 0.16 {LEVEL} m", **fine)
    pierced = case.run("pierced.toml", label="pierced", **fine).probes()
    cell = CELL / 2 if case.full else CELL
    probes = run.probes()
    liquid = run.frame(5)
    centre = (numpy.floor(liquid["position"][:, 2] / cell) + 0.5) * cell
    exact = RHO * G * (DEPTH - centre)
    difference = numpy.abs(liquid["pressure"] - exact).max() / (RHO * G * DEPTH)
    lift = 4 / 3 * math.pi * RADIUS**3 * RHO * G
    middle = between.frame(5)
    off = middle["pressure"] - RHO * G * (LEVEL - (numpy.floor(middle["position"][:, 2] / cell) + 0.5) * cell)
    off = off[middle["position"][:, 2] < DEPTH - cell]  # cells above the last full one may be outside
    depth = PIERCED - (0.201 - RADIUS)
    cap, column = math.pi * depth**2 * (RADIUS - depth / 3), 0.08 * 0.0927 * (PIERCED - 0.143)
    late = pierced["time"] > 0.25
    sideways = max(abs(probes["push.x"][-1]), abs(probes["push.y"][-1])) / lift

    plot = Plot("Pressure over height", "height [m]", "pressure [Pa]")
    heights = numpy.unique(centre)
    plot.line("rho g depth", heights, RHO * G * (DEPTH - heights), dashed=True)
    plot.points("measured, mean of each layer", heights, [liquid["pressure"][centre == z].mean() for z in heights])
    case.picture(plot)
    return [
        at_most("largest speed after 0.25 s", probes["speed"][-1], 1e-6, "at rest", unit="m/s"),
        at_most("largest error of the pressure, as a share of that at the floor", difference, 1e-4, "rho g depth"),
        Figure("lift of the ball", probes["push.z"][-1], lift, 0.02, "Archimedes: 4/3 pi R³ rho g", unit="N"),
        at_most("force sideways, as a share of the lift", sideways, 1e-3, "symmetry of the pressure"),
        at_most("largest speed beside a rough ball", rough["speed"][-1], 1e-6, "at rest", unit="m/s"),
        at_most("largest speed with narrow gaps", gaps["speed"][-1], 1e-6, "at rest", unit="m/s"),
        *[Figure(f"lift of the box `{name}` at a narrow gap", gaps[f"{name}.z"][-1], volume * RHO * G, 0.01,
                 "Archimedes: volume rho g", unit="N") for name, volume in BOXES.items()],
        at_most("largest speed, level between planes", between.probes()["speed"][-1], 1e-6, "at rest", unit="m/s"),
        at_most("largest error of the level there, from the pressure, in cells", numpy.abs(off).max() / (RHO * G * cell), 0.06,
                "rho g depth"),
        Figure("lift of a box through the surface", pierced["box.z"][late].mean(), column * RHO * G, 0.03, "Archimedes", unit="N"),
        Figure("lift of a ball through the surface", pierced["ball.z"][late].mean(), cap * RHO * G, 0.05, "Archimedes", unit="N"),
        at_most("mean speed around both", pierced["speed"][late].mean(), 2e-4, "at rest", unit="m/s"),
    ]
