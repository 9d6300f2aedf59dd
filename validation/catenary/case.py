"""A fine hair, 1 m long, is pinned at both ends, which are then moved together to 80 cm. It is so limp that it hangs as a chain does:
z = a cosh(x/a) with 2 a sinh(b/2a) = L for a span b. The pins are pulled inwards by w a and down by half of the weight each.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Catenary"
LENGTH, SPAN, RADIUS, DENSITY, GRAVITY, EDGE = 1, 0.8, 5e-6, 1320, 9.81, 0.01


def scale():
    """a of the catenary, by bisection."""
    low, high = 0.05, 10.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * middle * math.sinh(SPAN / 2 / middle) > LENGTH else (low, middle)
    return low


def judge(case):
    run = case.run()
    probes = run.probes()
    a, weight = scale(), DENSITY * math.pi * RADIUS**2 * GRAVITY
    shape = run.strand(1, "hair")
    x = numpy.linspace(-SPAN / 2, SPAN / 2, 200)
    plot = Plot("Shape of the hair", "x [m]", "z [m]")
    plot.line("catenary", x + 0.1, a * (numpy.cosh(x / a) - math.cosh(SPAN / 2 / a)), dashed=True)
    plot.points("measured", shape[::2, 0], shape[::2, 2])
    case.picture(plot)
    exact = a * (numpy.cosh((shape[:, 0] - 0.1) / a) - math.cosh(SPAN / 2 / a))
    sag = a * (math.cosh(SPAN / 2 / a) - 1)
    return [
        Figure("sag", -probes["middle.z"][-1], sag, 0.005, "catenary", unit="m"),
        at_most("largest deviation in height, as a share of the sag", numpy.abs(shape[:, 2] - exact).max() / sag, 0.01, "catenary"),
        Figure("pull inwards", -probes["pull.x"][-1], weight * a, 0.01, "catenary", unit="N"),
        Figure("pull down", -probes["pull.z"][-1], weight * LENGTH / 2, 0.005, "half of the weight", unit="N"),
        Figure("tension in the first edge", probes["tension"][-1], weight * math.hypot(a, LENGTH / 2 - EDGE / 2), 0.01,
               "catenary, at its middle", unit="N"),
    ]
