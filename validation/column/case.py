"""Hairs stand upright, clamped at their feet, with a load on their tips. Euler: up to P = π² EI/4L² they stay straight, then they
bend. Beyond, the elastica of a column whose tip has turned by α carries P (2K(k)/π)², k = sin α/2, and its tip is 2k/K(k) of
its length aside [Timoshenko 1961]. So each bent hair tells the load at which it would begin to bend.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Euler's column"
YOUNG, RADIUS, LENGTH = 3.89e9, 35e-6, 0.05
CRITICAL = math.pi**2 * YOUNG * math.pi / 4 * RADIUS**4 / (4 * LENGTH**2)
LOADS = [4.0e-6, 4.4e-6, 4.6e-6, 4.8e-6, 5.0e-6, 6.0e-6, 8.0e-6]


def quarter_period(k):
    """K(k) by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - k * k)
    for _ in range(12):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def modulus(aside):
    """k of the elastica whose tip is `aside` of its length aside, on the rising branch."""
    low, high = 0.0, 0.8
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * middle / quarter_period(middle) < aside else (low, middle)
    return low


def judge(case):
    probes = case.run().probes()
    aside = [probes[f"load{round(load * 1e7)}.x"][-1] / LENGTH for load in LOADS]
    factor = [(2 * quarter_period(modulus(a)) / math.pi)**2 for a in aside]
    ks = numpy.linspace(0, 0.8, 100)
    plot = Plot("Tips of the hairs", "load over that of Euler", "way aside over length")
    plot.line("elastica", [0.85, 1] + [(2 * quarter_period(k) / math.pi)**2 for k in ks],
              [0, 0] + [2 * k / quarter_period(k) for k in ks], dashed=True)
    plot.points("measured", [load / CRITICAL for load in LOADS], aside)
    case.picture(plot)
    return [
        at_most("way aside over length at 0.97 of Euler's load", aside[1], 0.005, "straight below Euler's load"),
        *(Figure(f"critical load told by the hair under {load * 1e6:.1f} µN", load / f, CRITICAL, 0.02, "Euler", unit="N")
          for load, f in list(zip(LOADS, factor))[2:6]),
    ]
