"""A tank 1 m long and filled 0.5 m deep is pushed along x at 0.1 m/s. What the walls let through is the first standing
wave, ka = 0.07, and a little of the third. The centre of mass swings along x; that of the third mode in it is 2 %. A
damped cosine fitted to it gives the period, to be compared with linear theory, ω² = g k tanh(k h), and the decay, which
is zero for a liquid without viscosity: what is measured is numerical.

The second run has a kinematic viscosity of 0.02 m²/s. Linear theory with a stress-free surface and smooth walls gives
(s + 2νk²)² + g k tanh(kh) = 4ν²k³ m tanh(kh)/tanh(mh), m² = k² + s/ν, for a motion e^(st): Lamb's result, for finite
depth. For small viscosity that is a decay of 2νk².
"""
import cmath
import math

from fit import fitted, residual
from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Standing gravity wave"
G, LENGTH, DEPTH = 9.81, 1.0, 0.5


def viscous_root(nu):
    """The complex rate s of the viscous wave, by Newton's method from the inviscid one."""
    k = math.pi / LENGTH

    def left(s):
        m = cmath.sqrt(k * k + s / nu)
        return ((s + 2 * nu * k * k) ** 2 + G * k * math.tanh(k * DEPTH)
                - 4 * nu**2 * k**3 * m * math.tanh(k * DEPTH) / cmath.tanh(m * DEPTH))

    s = complex(-2 * nu * k * k, math.sqrt(G * k * math.tanh(k * DEPTH)))
    for _ in range(50):
        s -= left(s) * 1e-6 / (left(s + 1e-6) - left(s))
    return s


def judge_viscous(case, settings):
    probes = case.run("viscous.toml", label="viscous", **settings).probes()
    s = viscous_root(0.02)
    later = probes["time"] > 0.25
    omega, gamma = fitted(probes["time"][later], probes["centre.x"][later], s.imag)
    return [
        Figure("viscous: rate of decay", gamma, -s.real, 0.1, "linear theory with viscosity", unit="1/s"),
        Figure("viscous: period", 2 * math.pi / omega, 2 * math.pi / s.imag, 0.02, "linear theory with viscosity", unit="s"),
    ]


def judge(case):
    settings = {"simulation__cell_size": "6.25 mm", "domain__upper": "1 0.0125 0.75 m"} if case.full else {}
    run = case.run(**settings)
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
        *judge_viscous(case, settings),
    ]
