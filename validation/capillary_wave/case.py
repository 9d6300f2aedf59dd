"""A tank 4 cm long and filled 2 cm deep, without gravity, is pushed along x at 5 mm/s; the surface meets the walls at 90
degrees. What the walls let through of the push is the first standing wave, ka = 0.1, and a little of the third. A damped
cosine fitted to the swing of the centre of mass gives the period, to be compared with linear theory, ω² = σ/ρ k³ tanh(k h),
and the decay, which is zero for a liquid without viscosity: what is measured is numerical. The small size has 40 cells to
half a wave, the full one 64.
"""
import math

from fit import fitted, residual
from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Standing capillary wave"
SIGMA, RHO, LENGTH, DEPTH = 0.0728, 1000.0, 0.04, 0.02


def judge(case):
    settings = {"simulation__cell_size": "0.625 mm", "domain__upper": "40 1.25 32.5 mm"} if case.full else {}
    probes = case.run(**settings).probes()
    k = math.pi / LENGTH
    exact = math.sqrt(SIGMA / RHO * k**3 * math.tanh(k * DEPTH))
    t, x = probes["time"], probes["centre.x"]
    omega, gamma = fitted(t, x, exact)
    plot = Plot("Centre of mass along x", "time [s]", "x [mm]")
    plot.line("run", t, 1e3 * x)
    plot.line("fit", t, 1e3 * residual(t, x, omega, gamma)[1], dashed=True)
    case.picture(plot)
    return [
        Figure("period", 2 * math.pi / omega, 2 * math.pi / exact, 0.02, "ω² = σ/ρ k³ tanh(k h)", unit="s"),
        at_most("amplitude lost in a period", 1 - math.exp(-gamma * 2 * math.pi / omega), 0.1, "no viscosity, no decay"),
    ]
