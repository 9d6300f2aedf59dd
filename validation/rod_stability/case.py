"""A hair under large steps. One is bent by 180 degrees, its end led round to its root, and let go; one is stretched by 5 % and let go;
one has a root that turns ten times a second and changes its sense. Whatever the step, 1 to 20 ms, every number stays finite and after
it all the hair has its length. While the root turns, the length is looked at in every frame.
Of the steps of 20 ms one, while the hair is bent, does not converge and is taken in halves.
"""
import numpy

from harness import at_most
from svg_plot import Plot

TITLE = "Rods under large steps"
STEPS = ("1 ms", "5 ms", "20 ms")
HAIRS = ("bent", "stretched", "turned")


def judge(case):
    plot = Plot("Largest strain of the hair that turns", "time [s]", "strain")
    figures = []
    for step in STEPS:
        probes = case.run(label=step.replace(" ", ""), simulation__strand_step=step, simulation__max_step=step).probes()
        plot.line(step, probes["time"], probes["strain_turned"])
        finite = all(numpy.isfinite(values).all() for values in probes.values())
        let_go = probes["time"] > 0.6
        late = {"bent": let_go, "stretched": let_go, "turned": probes["time"] >= 0}
        figures.append(at_most(f"numbers that are not finite, step {step}", 0 if finite else 1, 0, "none may be"))
        figures += [at_most(f"strain, {hair}, step {step}", probes[f"strain_{hair}"][late[hair]].max(), 0.01, "inextensible")
                    for hair in HAIRS]
    case.picture(plot)
    return figures
