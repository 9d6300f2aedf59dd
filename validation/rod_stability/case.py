"""A hair under large steps. One is bent by 180 degrees, its end led round to its root, and let go; one is stretched by 5 % and let go;
one has a root that turns ten times a second and changes its sense. Strains are looked at after every step. Whatever the step, 1 to 20 ms,
every number stays finite. The hair that is bent and the one that turns keep their length at all times, also without internal viscosity;
the one that is stretched never exceeds what it was let go with, and from 0.1 s on has its length (what is left of 5 % then, with a
viscosity of E/100 s, is 5 % exp(-3.5)).
Of the steps of 20 ms two, while the hair is bent, do not converge and are taken in halves.
"""
import numpy

from harness import at_most
from svg_plot import Plot

TITLE = "Rods under large steps"
STEPS = ("1 ms", "5 ms", "20 ms")
HAIRS = ("bent", "stretched", "turned")
RELEASE = 0.5


def steps_of(step):
    return {"simulation__strand_step": step, "simulation__max_step": step}


def strains(run, step, kind, plot=None):
    """Figures of one run: all numbers finite, strains of the hairs."""
    probes = run.probes()
    if plot:
        plot.line(step, probes["time"], probes["strain_turned"])
    finite = all(numpy.isfinite(values).all() for values in probes.values())
    figures = [at_most(f"numbers that are not finite, {kind}step {step}", 0 if finite else 1, 0, "none may be")]
    figures += [at_most(f"strain at all times, {hair}, {kind}step {step}", probes[f"strain_{hair}"].max(), 0.01, "inextensible")
                for hair in ("bent", "turned")]
    time, stretched = probes["time"], probes["strain_stretched"]
    let_go, later = time >= RELEASE - 1e-9, time > RELEASE + 0.1
    return figures, [at_most(f"largest strain from the release on over that at it, step {step}",
                             stretched[let_go].max() / stretched[let_go][0], 1, "nothing draws on it"),
                     at_most(f"strain 0.1 s after the release, step {step}", stretched[later].max(), 0.01, "inextensible")]


def judge(case):
    plot = Plot("Largest strain of the hair that turns", "time [s]", "strain")
    figures = []
    for step in STEPS:
        label = step.replace(" ", "")
        kept, released = strains(case.run(label=label, **steps_of(step)), step, "", plot)
        figures += kept + released
        undamped = {f"strands__{hair}__internal_viscosity": 0 for hair in ("bent", "turned")}
        figures += strains(case.run(label=f"{label}-undamped", **undamped, **steps_of(step)), step, "no viscosity, ")[0]
        taut = case.run(label=f"{label}-taut", may_fail=True, strands__stretched__internal_viscosity=0, **steps_of(step))
        figures.append(at_most(f"runs that end early: stretched, no viscosity, step {step}", 1 if taut.report()["exit"] == 4 else 0, 0,
                               "none may"))
    case.picture(plot)
    return figures
