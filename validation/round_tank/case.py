"""A round tank, 32.6 cells across, full to the lid and without gravity, whose water turns like a rigid body. The wall is smooth
and the liquid has no viscosity: angular momentum and energy stay, and every particle keeps its angular velocity.
"""
import numpy

from harness import TURNING_AT_WALLS, Figure
from svg_plot import Plot

TITLE = "Rigid rotation in a round tank"


def judge(case):
    run = case.run(**({"simulation__cell_size": "5 mm", "domain__upper": "0.2 0.2 0.02 m"} if case.full else {}))
    table = run.table("energy.csv")
    turning, energy = table["angular_momentum.z"], table["kinetic"]
    last = run.frame(20)
    x, v = last["position"], last["velocity"]
    radius = numpy.hypot(x[:, 0], x[:, 1])
    inner = radius < 0.08
    spin = ((x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) / radius**2)[inner].mean()
    plot = Plot("What is left of the rigid rotation", "time [s]", "share of the start")
    plot.line("angular momentum", table["time"], turning / turning[0])
    plot.line("kinetic energy", table["time"], energy / energy[0])
    case.picture(plot)
    return [
        Figure("angular momentum after a turn", turning[-1], turning[0], 0.01, "smooth wall: no torque", "kg m²/s",
               known_miss=TURNING_AT_WALLS),
        Figure("kinetic energy after a turn", energy[-1], energy[0], 0.02, "no friction", "J", known_miss=TURNING_AT_WALLS),
        Figure("angular velocity of the inner half", spin, 2 * numpy.pi, 0.01, "rigid rotation", "rad/s"),
    ]
