"""Strands are wound about a fixed cylinder by 90 to 360 degrees; one end bears a load, the other is pulled slowly until the strand
slips. Then the pull is exp(μ θ) times the load (Euler and Eytelwein). The strands are so limp that bending does not count (EI/R²
is below a ten-thousandth of the load) and heavy: what they would do in a step if nothing were in their way must stay small. Edges
turn by 0.1 rad from one to the next, which by theory changes the ratio by less than 0.1 %. Both tensions are read off the outermost
edges, as a mean over the last fifth of the run.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Capstan"
WRAPS = (90, 180, 270, 360)


def judge(case):
    run = case.run()
    probes = run.probes()
    late = probes["time"] > 0.8 * probes["time"][-1]
    plot = Plot("Tension ratio of the slipping strand", "wrap [deg]", "ln(pull/load)")
    figures = []
    for friction in (0.1, 0.3, 0.5):
        ratios = []
        for wrap in WRAPS:
            name = f"f{round(10 * friction)}_{wrap}"
            ratios.append(numpy.mean(probes[f"pull_{name}"][late]) / numpy.mean(probes[f"load_{name}"][late]))
            figures.append(Figure(f"pull over load, friction {friction}, {wrap} degrees", ratios[-1],
                                  math.exp(friction * math.radians(wrap)), 0.05, "exp(μ θ)"))
        plot.points(f"friction {friction}", WRAPS, numpy.log(ratios))
        plot.line(f"μ θ, {friction}", [0, 360], [0, friction * 2 * math.pi], dashed=True)
    case.picture(plot)
    return [*figures, at_most("contacts missed", run.report()["strands"]["missed_contacts"], 0, "none may be")]
