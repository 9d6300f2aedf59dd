"""A clamped hair is pushed at its tip for 2 ms and rings freely, without gravity, air and internal friction. The frequencies of a
clamped beam are ω = (λ/L)² √(EI/ρA) with cos λ cosh λ = -1: λ = 1.875104, 4.694091 [Timoshenko 1937]. The tip's height is
fitted by three cosines of free frequencies.
"""
import math

import numpy

from harness import Figure
from svg_plot import Plot

TITLE = "Bending frequencies"
DENSITY, YOUNG, RADIUS, LENGTH = 1320, 3.89e9, 35e-6, 0.05
SPEED = math.sqrt(YOUNG * RADIUS**2 / 4 / DENSITY)  # sqrt(EI / rho A)
EXACT = [(wave / LENGTH)**2 * SPEED for wave in (1.87510407, 4.69409113, 7.85475744)]


def residual(t, x, omegas):
    columns = [numpy.ones_like(t)] + [wave(omega * t) for omega in omegas for wave in (numpy.cos, numpy.sin)]
    basis = numpy.stack(columns, axis=1)
    fit = basis @ numpy.linalg.lstsq(basis, x, rcond=None)[0]
    return float(((fit - x)**2).sum()), fit


def fitted(t, x):
    """The frequencies by a pattern search, from the highest peaks of the spectrum near those of the beam."""
    spectrum = numpy.abs(numpy.fft.rfft((x - x.mean()) * numpy.hanning(len(x))))
    bins = 2 * math.pi * numpy.fft.rfftfreq(len(x), t[1] - t[0])
    near = [numpy.abs(bins / omega - 1) < 0.2 for omega in EXACT]
    omegas = [bins[mask][spectrum[mask].argmax()] for mask in near]
    steps = [0.5 * bins[1]] * len(omegas)
    best = residual(t, x, omegas)[0]
    while max(steps) > 1e-6 * omegas[0]:
        for n, step in enumerate(steps):
            trials = [omegas[:n] + [omegas[n] + sign * step] + omegas[n + 1:] for sign in (1, -1)]
            value, trial = min((residual(t, x, trial)[0], trial) for trial in trials)
            if value < best:
                best, omegas = value, trial
            else:
                steps[n] /= 2
    return omegas


def judge(case):
    probes = case.run().probes()
    free = probes["time"] > 0.0021
    t, x = probes["time"][free], probes["tip.z"][free]
    omegas = fitted(t, x)
    shown = t < 0.2
    plot = Plot("Height of the tip", "time [s]", "height [µm]")
    plot.line("measured", t[shown], 1e6 * x[shown])
    plot.line("three cosines", t[shown], 1e6 * residual(t, x, omegas)[1][shown], dashed=True)
    case.picture(plot)
    return [Figure(f"{name} frequency", omega / (2 * math.pi), exact / (2 * math.pi), 0.01, "Timoshenko 1937", unit="Hz")
            for name, omega, exact in zip(("first", "second"), omegas, EXACT)]
