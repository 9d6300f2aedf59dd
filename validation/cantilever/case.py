"""A hair 10 cm long is clamped horizontally and hangs under its own weight, which is far from small bending. Its shape is the
elastica EI θ'' = -w (L - s) cos θ with θ(0) = 0 and θ'(L) = 0, solved here by shooting with Runge and Kutta's method. A
clamped strand leaves the clamp in the middle of its first edge. The order is that between 40 and 80 edges.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Heavy cantilever"
DENSITY, YOUNG, RADIUS, LENGTH, GRAVITY = 1320, 3.89e9, 35e-6, 0.1, 9.81
STIFFNESS, WEIGHT = YOUNG * math.pi / 4 * RADIUS**4, DENSITY * math.pi * RADIUS**2 * GRAVITY


def shot(slope, steps=4000):
    """x, z along the rod that begins with this curvature, and the curvature at its end."""
    ds = LENGTH / steps

    def rate(s, y):
        return numpy.array([y[1], -WEIGHT / STIFFNESS * (LENGTH - s) * math.cos(y[0]), math.cos(y[0]), -math.sin(y[0])])

    y, places = numpy.array([0, slope, 0, 0]), [(0, 0)]
    for n in range(steps):
        s = n * ds
        a = rate(s, y)
        b = rate(s + ds / 2, y + ds / 2 * a)
        c = rate(s + ds / 2, y + ds / 2 * b)
        y = y + ds / 6 * (a + 2 * b + 2 * c + rate(s + ds, y + ds * c))
        places.append((y[2], y[3]))
    return numpy.array(places), y[1]


def elastica():
    low, high = 0.0, WEIGHT * LENGTH**2 / STIFFNESS
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if shot(middle)[1] < 0 else (low, middle)
    return shot(low)[0]


def judge(case):
    run = case.run()
    probes = run.probes()
    shape = elastica()
    tip = {n: numpy.array([probes[f"tip{n}.{axis}"][-1] for axis in "xz"]) for n in (10, 20, 40, 80)}
    error = {n: numpy.linalg.norm(tip[n] - shape[-1]) / LENGTH for n in tip}
    plot = Plot("Shape of the hair", "x [m]", "z [m]")
    plot.line("elastica", *shape.T, dashed=True)
    for n in (10, 40):
        plot.points(f"{n} edges", *run.strand(1, f"edges{n}").T[[0, 2]])
    case.picture(plot)
    return [
        at_most("tip, as a share of the length, 40 edges", error[40], 0.005, "elastica"),
        at_most("tip, as a share of the length, 10 edges", error[10], 0.05, "elastica"),
        Figure("order of convergence", math.log2(error[40] / error[80]), 2, 0.1, "central differences"),
    ]
