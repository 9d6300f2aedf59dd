"""A ball is moved through honey at 1 mm/s, in the middle of a spherical tank that is full of it; honey sticks to both. At a
Reynolds number of 1e-3 the flow is Stokes's, and where ball and tank have the same centre the drag is known in closed form: Stokes's law
6 π μ R U times K = (1 - λ⁵)/(1 - 9λ/4 + 5λ³/2 - 9λ⁵/4 + λ⁶), λ the ratio of the radii (J. Happel and H. Brenner, Low Reynolds number
hydrodynamics, chapter 4.22). The same factor is found here once more, from the four constants of the flow u = (A r² + B + C/r + D/r³) cos θ along r.
Here λ = 6/16 and K = 3.62. The ball has 6 cells to its radius, 12 in the full size; it moves by 0.02 mm in the run, in
which the flow becomes steady. The tank bears the same force the other way round.

A ball that falls in honey falls with the speed at which this drag is its weight less its lift: where the force is within 5 %, so is the speed.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Ball in honey"
MU, SPEED, BALL, TANK = 10, 1e-3, 6e-3, 16e-3


def factor(ratio):
    return (1 - ratio**5) / (1 - 9 / 4 * ratio + 5 / 2 * ratio**3 - 9 / 4 * ratio**5 + ratio**6)


def factor_of_flow():
    """From the flow that sticks to both spheres: the drag is 4 π μ C."""
    rows = [row for r in (BALL, TANK) for row in ([r**2, 1, 1 / r, r**-3], [2 * r**2, 1, 0.5 / r, -0.5 * r**-3])]
    constants = numpy.linalg.solve(numpy.array(rows), [SPEED, SPEED, 0, 0])
    return 4 * math.pi * MU * constants[2] / stokes()


def stokes():
    return 6 * math.pi * MU * BALL * SPEED


def judge(case):
    probes = case.run(**({"simulation__cell_size": "0.5 mm"} if case.full else {})).probes()
    exact = stokes() * factor(BALL / TANK)
    time = 1e3 * probes["time"][1:]
    plot = Plot("Drag of the ball", "time [ms]", "force [mN]")
    plot.line("ball", time, 1e3 * probes["drag.z"][1:])
    plot.line("tank, the other way round", time, -1e3 * probes["tank.z"][1:])
    plot.line("Happel and Brenner", [time[0], time[-1]], [1e3 * exact, 1e3 * exact], dashed=True)
    case.picture(plot)
    source = "Stokes's law, in a spherical tank"
    return [
        Figure("factor for the tank, from the flow", factor_of_flow(), factor(BALL / TANK), 1e-12, "Happel and Brenner"),
        Figure("drag of the ball", probes["drag.z"][-1], exact, 0.05, source, unit="N"),
        Figure("force on the tank", -probes["tank.z"][-1], exact, 0.05, source, unit="N"),
        at_most("force sideways, as a share of the drag", abs(probes["drag.x"][-1]) / exact, 1e-4, "symmetry"),
    ]
