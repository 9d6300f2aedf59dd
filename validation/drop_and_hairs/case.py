"""A drop of 1 cm at 30 cm/s meets nineteen free hairs, with nothing else around: no weight, no air, no wall. Drag and pressure set the hairs in motion, and
slow the drop by as much.
"""
import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "A drop meets free hairs"


def judge(case):
    run = case.run("drop.toml")
    energy = run.table("energy.csv")
    momentum = numpy.array([energy[f"momentum.{axis}"] for axis in "xyz"])
    drift = numpy.linalg.norm(momentum - momentum[:, :1], axis=0) / momentum[0, 0]
    given = run.report()["strands"]["momentum"]["now"][0] / momentum[0, 0]
    plot = Plot("Momentum that is missing, as a share of all", "time [s]", "share")
    plot.line("drop and hairs", energy["time"], drift)
    case.picture(plot)
    return [
        Figure("what hairs get, as a share of all", min(0.002, given), 0.002, 0, "0.2 % or more"),
        at_most("momentum of drop and hairs that is missing, as a share of all", drift.max(), 1e-8, "nothing acts from outside"),
        at_most("momentum of the hairs that is not accounted for, as a share", run.report()["strands"]["relative_error"], 1e-8, "drag, pressure"),
    ]
