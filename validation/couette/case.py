"""Honey fills the gap, 32 cells wide, between a cylinder that turns once in 6.3 s and a round wall at rest, and sticks to both. After
0.2 s the flow is steady: u = A r + B / r (Couette), and the torque on the cylinder
is 4 π μ Ω R1² R2² / (R2² - R1²) for every metre of depth.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Flow between cylinders"
MU, OMEGA, INNER, OUTER, DEPTH = 10, 1, 0.02, 0.052, 0.003


def exact(radius):
    """Speed along the circle."""
    return OMEGA * INNER**2 * (OUTER**2 / radius - radius) / (OUTER**2 - INNER**2)


def judge(case):
    run = case.run(**({"simulation__cell_size": "0.5 mm", "domain__upper": "54 54 1.5 mm"} if case.full else {}))
    depth = DEPTH / 2 if case.full else DEPTH
    liquid = run.frame(4)
    x, y = liquid["position"][:, 0], liquid["position"][:, 1]
    radius = numpy.hypot(x, y)
    speed = (x * liquid["velocity"][:, 1] - y * liquid["velocity"][:, 0]) / radius
    edges = numpy.linspace(INNER, OUTER, 33)
    ring = numpy.digitize(radius, edges) - 1
    middle = numpy.array([radius[ring == n].mean() for n in range(32)])
    mean = numpy.array([speed[ring == n].mean() for n in range(32)])
    torque = 4 * math.pi * MU * OMEGA * INNER**2 * OUTER**2 / (OUTER**2 - INNER**2) * depth

    plot = Plot("Speed across the gap", "radius [m]", "speed [m/s]")
    plot.line("A r + B / r", edges, exact(edges), dashed=True)
    plot.points("measured, mean of a ring one cell wide", middle, mean)
    case.picture(plot)
    return [
        at_most("largest deviation of a ring, as a share of the speed of the cylinder",
                numpy.abs(mean - exact(middle)).max() / (OMEGA * INNER), 0.01, "Couette"),
        Figure("torque on the cylinder", -run.probes()["inner.z"][-1], torque, 0.01, "Couette", unit="N m"),
    ]
