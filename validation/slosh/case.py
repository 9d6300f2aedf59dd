"""A column that fills half of a tank collapses and sloshes. However wild the motion was, the water must come to rest at the
level of its volume: particles that cluster would let it sink, particles that spread would let it swell. The level is twice
the height of the centre of mass, less the height that the motion still left can raise it by (its kinetic energy over the
weight, as in a wave), as a mean over the last second of 4 s (small) or 20 s (full).
"""
from harness import Figure
from svg_plot import Plot

TITLE = "Level after sloshing"
WEIGHT, LEVEL = 1000 * 9.81 * 0.5 * 0.2 * 0.4, 0.2


def judge(case):
    run = case.run(**({"simulation__end_time": "20 s"} if case.full else {}))
    probes = run.probes()
    motion = 2 * probes["motion"] / WEIGHT
    level = 2 * probes["centre.z"] - motion
    last = probes["time"] > probes["time"][-1] - 1
    plot = Plot("Level", "time [s]", "height [m]")
    plot.line("twice the centre of mass", probes["time"], 2 * probes["centre.z"])
    plot.line("less motion", probes["time"], level)
    plot.line("ideal", [0, probes["time"][-1]], [LEVEL, LEVEL], dashed=True)
    case.picture(plot)
    return [Figure("level, mean over the last second", level[last].mean(), LEVEL, 0.005 if case.full else 0.02,
                   "volume over floor", unit="m")]
