"""Drops sit on wires that turn once a second, without gravity and without surface tension. Liquid on a smooth wire slides as a bead
does, s = s₀ cosh(ωt), each part of it from where it was; so does the middle of all until the first part is at the tip, and half of
it has left the wire for the drop at its tip when what began in the middle is there. The wires have 42 vertices, an edge is 1.1 mm and the drop 4 mm long.
Where liquid does not lag behind the wire's acceleration (`wetting.inertia = false`) it stays where it is.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Drop on a turning wire"
SPEED, TIP = 2 * math.pi, 0.052


def judge(case):
    run = case.run("scenes/rotating_strand.toml")
    probes = run.probes()
    time, way = probes["time"], numpy.hypot(probes["drop.x"], probes["drop.y"])
    exact = way[0] * numpy.cosh(SPEED * time)
    until = int(numpy.argmax(way > 0.55 * TIP))
    plot = Plot("Middle of the drop, from the axis", "time [s]", "s [cm]")
    shown = time < 0.42
    plot.line("s₀ cosh(ωt)", time[shown], 100 * exact[shown], dashed=True)
    plot.line("measured", time[shown], 100 * way[shown])
    case.picture(plot)
    # The scene's own figure is that of a drop that slides.
    taken = case.run("scenes/rotating_strand.toml", "taken", wetting__inertia="false", test__drop_slides_as_a_bead__tolerance="1 m").probes()
    still = numpy.hypot(taken["drop.x"], taken["drop.y"])
    rows = run.table("ledger.csv")
    half = numpy.interp(-0.5, -rows["film"] / rows["film"][0], rows["time"])
    return [
        at_most("largest deviation on the way to 55 % of the wire", numpy.abs(way / exact - 1)[:until].max(), 0.03, "s₀ cosh(ωt)"),
        Figure("distance after a quarter of a turn", way[int(numpy.argmin(numpy.abs(time - 0.25)))], way[0] * math.cosh(math.pi / 2), 0.03,
               "s₀ cosh(ωt)", unit="m"),
        at_most("without the inertial force: way of the drop along the wire", numpy.abs(still - still[0]).max(), 1e-8,
                "nothing else moves it", unit="m"),
        Figure("time at which half of the liquid is at the tip", half, math.acosh(TIP / way[0]) / SPEED, 0.03, "acosh(s/s₀)/ω", unit="s"),
    ]
