"""A damped cosine fitted to a signal."""
import numpy


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
