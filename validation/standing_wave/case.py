"""A tank 1 m long and filled 0.5 m deep is pushed along x at 0.1 m/s. What the walls let through is the first standing
wave, ka = 0.07, and a little of the third. The centre of mass swings along x; that of the third mode in it is 2 %. A
damped cosine fitted to it gives the period, to be compared with linear theory, ω² = g k tanh(k h), and the decay, which
is zero for a liquid without viscosity: what is measured is numerical.
"""
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Standing gravity wave"
G, LENGTH, DEPTH = 9.81, 1.0, 0.5


def residual(t, x, omega, gamma):
    """Squares left by the best A e^(-γt) cos(ωt) + B e^(-γt) sin(ωt) + C, and its values."""
    decay = numpy.exp(-gamma * t)
    basis = numpy.stack([decay * numpy.cos(omega * t), decay * numpy.sin(omega * t), numpy.ones_like(t)], axis=1)
    fit = basis @ numpy.linalg.lstsq(basis, x, rcond=None)[0]
    return float(((fit - x) ** 2).sum()), fit


def fitted(t, x, omega):
    """Frequency and decay rate by a pattern search from `omega`."""
    gamma, steps = 0.05, [0.05 * omega, 0.05]
    best = residual(t, x, omega, gamma)[0]
    while steps[0] > 1e-6 * omega:
        trials = [(omega + a * steps[0], gamma + b * steps[1]) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        value, trial = min((residual(t, x, *trial)[0], trial) for trial in trials)
        if value < best:
            best, (omega, gamma) = value, trial
        else:
            steps = [0.5 * s for s in steps]
    return omega, gamma


def judge(case):
    run = case.run(**({"simulation__cell_size": "1.25 cm", "domain__upper": "1 0.05 0.75 m"} if case.full else {}))
    k = math.pi / LENGTH
    exact = math.sqrt(G * k * math.tanh(k * DEPTH))
    probes = run.probes()
    t, x = probes["time"], probes["centre.x"]
    omega, gamma = fitted(t, x, exact)
    plot = Plot("Centre of mass along x", "time [s]", "x [m]")
    plot.line("run", t, x)
    plot.line("fit", t, residual(t, x, omega, gamma)[1], dashed=True)
    case.picture(plot)
    return [
        Figure("period", 2 * math.pi / omega, 2 * math.pi / exact, 0.02, "ω² = g k tanh(k h)", unit="s"),
        at_most("amplitude lost in a period", 1 - math.exp(-gamma * 2 * math.pi / omega), 0.1, "no viscosity, no decay"),
    ]
