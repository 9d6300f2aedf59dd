"""A slug of honey, three times as long as it is wide, sinks between two plates 32 cells apart, to which it sticks. Air is above and
below it, and in its middle the velocity becomes the parabola of Poiseuille, F x (h - x) / (2 μ). The force F on a volume is the
weight, and a pressure gradient of some percent of it, since the flow has to turn at the ends; the gradient is read from the
particles. What is missing of the steady flow falls as exp(-π² ν t / h²): to 0.05 % at the end.
"""
import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Flow between plates"
RHO, MU, G, GAP = 1000, 10, 9.81, 0.032


def judge(case):
    run = case.run(**({"simulation__cell_size": "0.5 mm", "domain__upper": "36 2 100 mm"} if case.full else {}))
    liquid = run.frame(8)
    x, z = liquid["position"][:, 0], liquid["position"][:, 2]
    middle = abs(z - z.mean()) < 0.016
    x, speed = x[middle], -liquid["velocity"][middle, 2]
    layer = numpy.minimum((x / GAP * 32).astype(int), 31)
    place = numpy.array([x[layer == n].mean() for n in range(32)])
    mean = numpy.array([speed[layer == n].mean() for n in range(32)])
    force = RHO * G + numpy.polyfit(z[middle], liquid["pressure"][middle], 1)[0]

    def exact(at):
        return force * at * (GAP - at) / (2 * MU)

    plot = Plot("Speed between the plates", "place [m]", "speed [m/s]")
    across = numpy.linspace(0, GAP, 65)
    plot.line("Poiseuille", across, exact(across), dashed=True)
    plot.points("measured, mean of a layer one cell wide", place, mean)
    case.picture(plot)
    return [
        at_most("largest deviation of a layer, as a share of the largest speed", numpy.abs(mean - exact(place)).max() / exact(GAP / 2), 0.01,
                "Poiseuille"),
        Figure("flux", mean.mean() * GAP, force * GAP**3 / (12 * MU), 0.01, "Poiseuille", unit="m²/s"),
    ]
