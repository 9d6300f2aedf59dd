"""Twelve turns of nylon wire hang from a clamp and stretch under their own weight. A force F along the axis twists the wire of a
helix of radius R and slope α by F R cos α and bends it by F R sin α, so a piece of wire of length ds lets the helix grow by
F R² (cos²α/GJ + sin²α/EI) ds [Love 1927]; F is the weight of what hangs below, on average half of all.
"""
import math

from harness import Figure
from svg_plot import Plot

TITLE = "Hanging helix"
TURNS, COIL, PITCH, WIRE = 12, 0.01, 0.01, 0.5e-3
DENSITY, YOUNG, SHEAR, GRAVITY = 1140, 2.7e9, 1e9, 9.81


def judge(case):
    run = case.run()
    turn = math.hypot(2 * math.pi * COIL, PITCH)
    length, sine = TURNS * turn, PITCH / turn
    weight = DENSITY * math.pi * WIRE**2 * length * GRAVITY
    bending, torsion = YOUNG * math.pi / 4 * WIRE**4, SHEAR * math.pi / 2 * WIRE**4
    softness = COIL**2 * ((1 - sine**2) / torsion + sine**2 / bending)
    expected = 0.5 * weight * length * softness
    grown = -run.probes()["tip.z"][-1] - TURNS * PITCH
    shape = run.strand(1, "spring")
    part = [n / (len(shape) - 1) for n in range(len(shape))]
    plot = Plot("How far each place of the wire has sunk", "part of the wire", "way [mm]")
    plot.line("spring formula", part, [2000 * expected * (p - p * p / 2) for p in part], dashed=True)
    plot.line("measured", part, [-1000 * (z + TURNS * PITCH * p) for p, z in zip(part, shape[:, 2])])
    case.picture(plot)
    return [Figure("extension", grown, expected, 0.03, "Love 1927", unit="m")]
