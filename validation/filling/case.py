"""A mouth of 16 × 16 cm over a tank of 40 × 40 cm lets water in at 0.2 m/s for 2 s. The ledger's account of what was emitted
grows with the flux, mouth area times speed, and when the source has stopped and the water calmed the level has risen by
the volume over the floor area. In a second run the same mouth is at the floor, under water: the level, twice the height of
the centre of mass, rises at the flux over the floor area.
"""
import csv

import numpy

from harness import Figure
from svg_plot import Plot

TITLE = "Filling a tank"
AREA, MOUTH, SPEED, STOP, START = 0.16, 0.16 * 0.16, 0.2, 2.0, 0.1
WEIGHT_PER_VOLUME = 1000 * 9.81


def judge(case):
    settings = {"simulation__cell_size": "1 cm"} if case.full else {}
    run = case.run(**settings)
    under = case.run("submerged.toml", label="submerged", **settings).probes()
    probes = run.probes()
    rows = [r for r in csv.DictReader((run.folder / "ledger.csv").read_text().splitlines()) if r["liquid"] == "total"]
    time = numpy.array([float(r["time"]) for r in rows])
    emitted = numpy.array([float(r["emitted"]) for r in rows])
    bulk = numpy.array([float(r["bulk"]) for r in rows])
    during = time < STOP - 1e-6
    flux = numpy.polyfit(time[during], emitted[during], 1)[0]
    level = 2 * (probes["centre.z"] - probes["motion"] / (WEIGHT_PER_VOLUME * bulk))
    last = time > time[-1] - 0.5
    rising = under["time"] > 0.4
    rise = numpy.polyfit(under["time"][rising], 2 * under["centre.z"][rising], 1)[0]
    ideal = START + (MOUTH * 0.06 + MOUTH * SPEED * STOP) / AREA

    plot = Plot("Level", "time [s]", "height [m]")
    plot.line("level", time, level)
    plot.line("volume over floor area", time, bulk / AREA)
    plot.line("under water", under["time"], 2 * under["centre.z"])
    plot.line("ideal at the end", [0, time[-1]], [ideal, ideal], dashed=True)
    case.picture(plot)
    return [
        Figure("flux", flux, MOUTH * SPEED, 0.01, "mouth area × speed", unit="m³/s"),
        Figure("level, mean over the last half second", level[last].mean(), ideal, 0.02, "volume over floor area", unit="m"),
        Figure("under water: rise of the level from 0.4 to 2 s", rise, MOUTH * SPEED / AREA, 0.03, "flux over floor area",
               unit="m/s"),
    ]
