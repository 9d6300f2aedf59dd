"""A square tank of 40 cm, full to the lid and without gravity, whose water turns at one turn a second when the run begins. The
walls leave of that the flow of uniform vorticity, u = curl ψ with ∇²ψ = -2Ω and ψ = 0 at the walls, which is a steady
solution of Euler's equations: the torsion of a square bar is the same problem. Its kinetic energy is ½ ρ Ω² J and its
angular momentum ρ Ω J a depth, with J = 0.1406 a⁴. The first figures measure the projection, the last ones what transport
loses in a turn.
"""
import math

from harness import TURNING_AT_WALLS, Figure
from svg_plot import Plot

TITLE = "Vortex in a square tank"
RHO, OMEGA, EDGE, DEPTH = 1000, 2 * math.pi, 0.4, 0.05


def torsion_constant():
    """J / a⁴ of a square by Saint-Venant's series."""
    return (1 / 3 - 64 / math.pi**5 * sum(math.tanh(n * math.pi / 2) / n**5 for n in range(1, 99, 2)))


def judge(case):
    run = case.run(**({"simulation__cell_size": 0.00625, "domain__upper": "0.2 0.2 0.025 m"} if case.full else {}))
    depth = DEPTH / 2 if case.full else DEPTH
    table = run.table("energy.csv")
    energy = 0.5 * RHO * OMEGA**2 * torsion_constant() * EDGE**4 * depth
    turning = RHO * OMEGA * torsion_constant() * EDGE**4 * depth
    plot = Plot("What is left of the steady flow", "time [s]", "share of the exact value")
    plot.line("kinetic energy", table["time"][1:], table["kinetic"][1:] / energy)
    plot.line("angular momentum", table["time"][1:], table["angular_momentum.z"][1:] / turning)
    case.picture(plot)
    source = "Saint-Venant's torsion of a square, J = 0.1406 a⁴"
    return [
        Figure("kinetic energy after 0.02 s", table["kinetic"][1], energy, 0.02, source, unit="J"),
        Figure("angular momentum after 0.02 s", table["angular_momentum.z"][1], turning, 0.02, source, unit="kg m²/s"),
        Figure("kinetic energy after a turn", table["kinetic"][-1], energy, 0.1, "steady", "J", known_miss=TURNING_AT_WALLS),
        Figure("angular momentum after a turn", table["angular_momentum.z"][-1], turning, 0.05, "steady", "kg m²/s",
               known_miss=TURNING_AT_WALLS),
    ]
