"""A column that fills half of a tank collapses and sloshes, 4 s in the small size, 20 s in the full one. However wild the
motion, the water must keep its volume: particles that cluster let its level sink, particles that spread let it swell. Two
measures, both as means over the last two periods of the first wave (3 s; 1.5 s in the small size):
how full the cells are whose 26 neighbours all hold liquid, and the level, twice the height of the centre of mass less the
height that the waves left raise it by. That is taken as kinetic energy over weight, which is exact for small waves only;
after 4 s the waves are high, so the bound of the level is wider in the small size (1 %) than in the full one (0.5 %, where the
first wave is still 8 cm high). The third figure is the largest rise of the mechanical energy (means over 2 s, over that of
the water at rest): there is none to gain from.
"""
import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Volume after sloshing"
CELL, SHAPE = 0.025, (40, 8, 32)
WEIGHT, LEVEL = 1000 * 9.81 * 0.5 * 0.2 * 0.4, 0.2


def fullness(run, number):
    """Mean volume in the cells well inside of the liquid, in cell volumes."""
    liquid = run.frame(number)
    cells = numpy.minimum((liquid["position"] / CELL).astype(int), numpy.array(SHAPE) - 1)
    volume = numpy.zeros(SHAPE)
    numpy.add.at(volume, tuple(cells.T), liquid["volume"] / CELL**3)
    wet = numpy.pad(volume > 0, 1, constant_values=True)  # walls count as full
    inside = numpy.ones(SHAPE, bool)
    for offset in numpy.ndindex(3, 3, 3):
        inside &= wet[tuple(slice(o, o + n) for o, n in zip(offset, SHAPE))]
    return volume[inside].mean()


def largest_gain(run):
    """Largest rise of the energy over an earlier value, as a share of that."""
    table = run.table("energy.csv")
    energy = table["kinetic"] + table["potential"] - WEIGHT * LEVEL / 2
    means = [energy[n - 20:n].mean() for n in range(20, len(energy), 10)]
    return max(later / earlier - 1 for n, earlier in enumerate(means) for later in means[n:])


def judge(case):
    run = case.run(**({"simulation__end_time": "20 s"} if case.full else {}))
    probes = run.probes()
    frames = 30 if case.full else 15
    level = 2 * (probes["centre.z"] - probes["motion"] / WEIGHT)
    count = len(level) - 1
    full = numpy.mean([fullness(run, n) for n in range(count - frames + 1, count + 1)])
    plot = Plot("Centre of mass", "time [s]", "height [m]")
    plot.line("twice the centre of mass", probes["time"], 2 * probes["centre.z"])
    plot.line("less waves", probes["time"], level)
    plot.line("level at rest", [0, probes["time"][-1]], [LEVEL, LEVEL], dashed=True)
    case.picture(plot)
    return [Figure("fullness of the cells inside", full, 1, 0.005, "a full cell"),
            Figure("level", level[-frames:].mean(), LEVEL, 0.005 if case.full else 0.01, "volume over floor area", unit="m"),
            at_most("largest gain of energy", largest_gain(run), 0.02, "energy is not created")]
