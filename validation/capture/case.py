"""Water runs over the curly hair of the gallery's scene, at 8 cm/s for 0.5 s as published. When strands catch nothing, their film stays zero; when they catch and do not drip, the film
only ever grows, and the stream has lost exactly what is on the hair. In a second scene a straight hair lies in water at rest, without
weight: its film fills to 6 radii as 1 - exp(-t/τ), on all vertices but the two at its ends, which do not catch. There the film's surface
tension is off: films flow and bead in the water as they do in air, which makes room for more; with it twice as much is caught in 3 τ.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Capture"
RADIUS, LENGTH, EDGES, THICKEST, TIME = 37e-6, 6e-3, 12, 6, 0.02
FULL = math.pi * RADIUS**2 * (THICKEST**2 - 1) * LENGTH * (EDGES - 1) / EDGES

# The published stream. The scene's own figure is that of its own, which is faster, and of a hair that catches and drips.
STREAM = {"sources__stream__velocity": "0 0 -8 cm/s", "sources__stream__stop": "0.5 s", "test__it_caught_water__tolerance": "1 l"}


def judge(case):
    pool = case.run("pool.toml", label="pool")
    off = case.run("scenes/curly_capture.toml", label="off", wetting__capture="false", simulation__end_time="0.2 s", **STREAM)
    on = case.run("scenes/curly_capture.toml", label="on", wetting__dripping="false", simulation__end_time="0.6 s", **STREAM)
    probes = pool.probes()
    exact = FULL * (1 - numpy.exp(-probes["time"] / TIME))
    plot = Plot("Film of a hair in water", "time [s]", "volume [µl]")
    plot.line("1 - exp(-t/τ)", probes["time"], 1e9 * exact, dashed=True)
    plot.line("measured", probes["time"], 1e9 * probes["film"])
    case.picture(plot)
    film = on.probes()["film"]
    film = film[numpy.isfinite(film)]
    ledger = on.report()["ledger"]
    lost = ledger["emitted"] - ledger["drained"] - ledger["left"] - ledger["bulk"]
    return [
        Figure("film after τ", numpy.interp(TIME, probes["time"], probes["film"]), FULL * (1 - math.exp(-1)), 0.001, "1 - exp(-t/τ)",
               unit="m³"),
        Figure("film at the end", probes["film"][-1], exact[-1], 0.001, "1 - exp(-t/τ)", unit="m³"),
        at_most("film where nothing is caught, in m³", off.table("ledger.csv")["film"].max(), 0, "none"),
        at_most("largest fall of the film from step to step, as a share of it", max(0, -numpy.diff(film).min()) / film.max(), 1e-12,
                "it only grows"),
        Figure("caught by the hair", ledger["film"] + ledger["pool"], lost, 1e-9, "what the stream has lost", unit="m³"),
        at_most("momentum of the hair that is not accounted for, as a share", on.report()["strands"]["relative_error"], 1e-9,
                "what was caught, gravity, clamps"),
    ]
