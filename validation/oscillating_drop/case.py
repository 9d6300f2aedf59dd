"""A drop of water without gravity, 10 % longer than a ball along z, swings between long and flat. Rayleigh (1879): the mode
n of a ball of radius R has ω² = n (n - 1) (n + 2) σ/(ρ R³), here with n = 2. What is measured is the second moment
<z²> - (<x²> + <y²>)/2 of the drop, to which a damped cosine is fitted. The theory is for
small amplitudes. There is no viscosity: what decays, decays numerically.

The first run has an eighth of a drop in the corner of three smooth walls that it meets at 90 degrees, 16 cells to its
radius (24 in the full size). The second has a whole drop in the open with 10 cells to its radius.
"""
import math

import numpy

from fit import fitted, residual
from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Oscillating drop"
SIGMA, RHO = 0.0728, 1000.0


def moments(run, frames, is_whole):
    """<z²> - (<x²> + <y²>)/2 of every frame, about the centre of mass of a whole drop or the corner of an eighth."""
    values = []
    for number in range(frames + 1):
        liquid = run.frame(number)
        x, volume = liquid["position"], liquid["volume"]
        centre = (volume[:, None] * x).sum(axis=0) / volume.sum() if is_whole else numpy.zeros(3)
        xx, yy, zz = (volume[:, None] * (x - centre) ** 2).sum(axis=0) / volume.sum()
        values.append(zz - 0.5 * (xx + yy))
    return numpy.array(values)


def measure(run, radius, duration, is_whole=False):
    exact = math.sqrt(8 * SIGMA / (RHO * radius**3))
    frames = round(duration / 0.01)
    t, q = 0.01 * numpy.arange(frames + 1), moments(run, frames, is_whole)
    omega, gamma = fitted(t, q, exact)
    return exact, omega, gamma, t, q


def judge(case):
    settings = {"simulation__cell_size": "0.66666666667 mm"} if case.full else {}
    exact, omega, gamma, t, q = measure(case.run(**settings), 0.016, 1.08)
    plot = Plot("Second moment of an eighth of a drop", "time [s]", "<z²> - (<x²> + <y²>)/2 [mm²]")
    plot.line("run", t, 1e6 * q)
    plot.line("fit", t, 1e6 * residual(t, q, omega, gamma)[1], dashed=True)
    case.picture(plot)
    rayleigh = "Rayleigh 1879: ω² = 8σ/(ρR³)"
    figures = [
        Figure("period, 24 cells to the radius" if case.full else "period, 16 cells to the radius", 2 * math.pi / omega,
               2 * math.pi / exact, 0.03, rayleigh, unit="s"),
        at_most("amplitude lost in a period", 1 - math.exp(-gamma * 2 * math.pi / omega), 0.1, "no viscosity, no decay"),
    ]
    if not case.full:
        exact, omega, gamma, t, q = measure(case.run("whole.toml", label="whole"), 0.01, 0.54, is_whole=True)
        figures.append(Figure("whole drop: period, 10 cells to the radius", 2 * math.pi / omega, 2 * math.pi / exact, 0.03,
                              rayleigh, unit="s"))
    return figures
