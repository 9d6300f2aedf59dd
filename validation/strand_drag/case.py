"""A hair whose root moves by 6 cm in a second, 3 cm deep in a pool, and then rests: the gallery's scene, once with drag and once without. With it the
tip trails; when the root rests, water comes to rest and the hair hangs down again, as far as the flow lets it. Without it nothing but the
root's start and end moves the hair: it hangs. What liquid and walls have of the hair's momentum is booked with it.
"""
import numpy

from harness import at_least, at_most
from svg_plot import Plot

TITLE = "Hair drawn through a pool"
LENGTH, STOP, END = 0.05, 1.0, 2.0
STILL = {"simulation__end_time": f"{END} s", "probes__root__kind": "strand_position", "probes__root__object": "hair",
         "probes__root__vertex": "0"}
UNTESTED = {"test__tip_trails__tolerance": "1 m", "test__ledger_closes__tolerance": "1e-8"}


def trail(run):
    """Times, and how far the tip is behind the root [m]."""
    probes = run.probes()
    there = numpy.isfinite(probes["tip.x"])
    return probes["time"][there], (probes["root.x"] - probes["tip.x"])[there]


def judge(case):
    on = case.run("scenes/strand_drag.toml", label="on", **STILL, **UNTESTED)
    off = case.run("scenes/strand_drag.toml", label="off", wetting__drag="false", wetting__buoyancy="false", **STILL, **UNTESTED)
    (time, behind), (_, freely) = trail(on), trail(off)
    plot = Plot("How far the tip is behind the root", "time [s]", "distance [cm]")
    plot.line("with drag", time, 100 * behind)
    plot.line("without", time, 100 * freely)
    case.picture(plot)
    moving = (time > 0.5) & (time < STOP)
    return [
        at_least("with drag: trail when the root stops", numpy.interp(STOP, time, behind), 0.01, "asked for", unit="m"),
        at_most("with drag: trail a second later, as a share of that", behind[-1] / numpy.interp(STOP, time, behind), 0.5, "it recovers"),
        at_most("without: largest trail from 0.5 to 1 s, as a share of the length", numpy.abs(freely[moving]).max() / LENGTH, 0.05,
                "it hangs down"),
        at_most("momentum of the hair that is not accounted for, as a share", on.report()["strands"]["relative_error"], 1e-8,
                "root, weight, drag, pressure"),
        at_most("error of the liquid's ledger", on.table("ledger.csv")["relative_error"].max(), 1e-12, "nothing is lost"),
    ]
