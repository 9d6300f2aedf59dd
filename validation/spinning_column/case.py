"""A column of honey, 30 cells across, turns once a second in free space between two smooth plates; there is no gravity and no
surface tension. Nothing acts on it from outside, so its angular momentum stays, and a rigid rotation strains nothing, so
viscosity takes no energy. (The free surface must let it rotate: the full stress does, a Laplacian of each component does
not.)
"""
from harness import Figure
from svg_plot import Plot

TITLE = "Spinning column"


def judge(case):
    run = case.run(**({"simulation__cell_size": "5 mm", "domain__upper": "0.3 0.3 0.02 m"} if case.full else {}))
    table = run.table("energy.csv")
    turning, energy = table["angular_momentum.z"], table["kinetic"]
    plot = Plot("What is left of the rotation", "time [s]", "share of the start")
    plot.line("angular momentum", table["time"], turning / turning[0])
    plot.line("kinetic energy", table["time"], energy / energy[0])
    case.picture(plot)
    return [
        Figure("angular momentum after half a turn", turning[-1], turning[0], 1e-3, "no torque", "kg m²/s"),
        Figure("radius after half a turn", run.probes()["across"][-1], 0.15, 0.05, "rigid rotation", unit="m"),
    ]
