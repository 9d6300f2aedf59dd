"""A straight rod is clamped at both ends and one clamp turns slowly about the axis. Up to a certain torque M it stays straight; then
it bends into a helix (Greenhill). With m = M L/EI, equilibrium of a slightly bent rod under M and a force across it is
w = A + B s + D s² + C exp(i m s/L), w = y + i z; ends clamped on one line ask for tan(m/2) = m/2, m = 8.98682. The rod is
straight until then, so M = GJ Φ/L and the critical turn is Φ = m EI/GJ. Both clamps keep their places, which lets the bent rod
stretch: its square width grows in proportion to what the turn has beyond the critical one.
"""
import math

import numpy

from harness import Figure
from svg_plot import Plot

TITLE = "Critical twist"
YOUNG, SHEAR, RADIUS, LENGTH = 1e7, 3.6e6, 2e-3, 0.2
M = 8.98681891
BENDING, TORSION = YOUNG * math.pi / 4 * RADIUS**4, SHEAR * math.pi / 2 * RADIUS**4
CRITICAL = M * BENDING / TORSION


def judge(case):
    probes = case.run().probes()
    turn = 16 * probes["time"] / 64
    width = numpy.hypot(probes["middle.y"], probes["middle.z"])
    bent = (turn > 1.04 * CRITICAL) & (turn < 1.2 * CRITICAL)
    slope, start = numpy.polyfit(turn[bent], width[bent]**2, 1)
    onset = -start / slope
    straight = numpy.abs(probes["torque.x"])[turn < 0.9 * CRITICAL][-1] / turn[turn < 0.9 * CRITICAL][-1]
    plot = Plot("Width of the rod in its middle", "turn of the clamp [rad]", "square of the width [mm²]")
    plot.line("measured", turn, 1e6 * width**2)
    plot.line("fit", [onset, turn[-1]], [0, 1e6 * slope * (turn[-1] - onset)], dashed=True)
    plot.line("critical turn", [CRITICAL, CRITICAL], [0, 1e6 * width.max()**2], dashed=True)
    case.picture(plot)
    return [
        Figure("critical turn", onset, CRITICAL, 0.05, "tan(m/2) = m/2", unit="rad"),
        Figure("torque of the straight rod for a turn", straight, TORSION / LENGTH, 0.005, "GJ/L", unit="N m"),
    ]
