"""Curly hairs between two clamps, 4 cm apart, carry a film of water 0.2 mm thick, 30 times their own weight. A slack one, with turns of 0.5 mm: when
water stays where it is (`wetting.flow = false`), it sags by s₀; when it flows, it gathers at the lowest point and the hair sags more; when it drips too, the hair
rises again. Then a hair with turns of 2.5 mm, as water that does not flow loads it, at a hundredth of gravity so that it moves little: its sag
is that of a frame of 120 straight beams through the same points, by the stiffness method of structural analysis.

Between turns of 2.5 mm water stays in each turn, however the whole sags: there, flow lets the middle rise a little (by 0.13 mm of 5.2).
"""
import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Curly hair, flow and sag"
RADIUS, YOUNG, SHEAR, DENSITY, WATER, FILM, GRAVITY = 37e-6, 3.9e9, 1.3e9, 1300, 1000, 0.2e-3, 9.81
STILL = {"wetting__dripping": "false", "wetting__flow": "false"}


def points(path):
    return numpy.array([[float(x) for x in line.split()[1:]] for line in path.read_text().splitlines() if line.startswith("v")])


def beam(start, end):
    """Stiffness of a straight beam with a round section, and three axes a node for motion and for rotation [N/m, N, N m]."""
    area, inertia = numpy.pi * RADIUS**2, numpy.pi / 4 * RADIUS**4
    length = numpy.linalg.norm(end - start)
    axis = (end - start) / length
    side = numpy.cross(axis, numpy.eye(3)[numpy.argmin(numpy.abs(axis))])
    side /= numpy.linalg.norm(side)
    turn = numpy.kron(numpy.eye(4), numpy.array([axis, side, numpy.cross(axis, side)]))
    local = numpy.zeros((12, 12))
    for at, stiffness in ((0, YOUNG * area / length), (3, SHEAR * 2 * inertia / length)):
        local[numpy.ix_([at, at + 6], [at, at + 6])] += stiffness * numpy.array([[1, -1], [-1, 1]])
    bending = YOUNG * inertia / length**3 * numpy.array(
        [[12, 6 * length, -12, 6 * length], [6 * length, 4 * length**2, -6 * length, 2 * length**2],
         [-12, -6 * length, 12, -6 * length], [6 * length, 2 * length**2, -6 * length, 4 * length**2]])
    for places, sign in (([1, 5, 7, 11], 1), ([2, 4, 8, 10], -1)):
        signs = numpy.array([1, sign, 1, sign])
        local[numpy.ix_(places, places)] += bending * numpy.outer(signs, signs)
    return turn.T @ local @ turn


def frame_sag(nodes, gravity):
    """How far the middle of the frame sinks: both ends are clamped, with the edges there; weights are at the nodes."""
    n = len(nodes)
    stiffness, load = numpy.zeros((6 * n, 6 * n)), numpy.zeros(6 * n)
    weight = gravity * (DENSITY * numpy.pi * RADIUS**2 + WATER * numpy.pi * ((RADIUS + FILM)**2 - RADIUS**2))
    for e in range(n - 1):
        stiffness[6 * e:6 * e + 12, 6 * e:6 * e + 12] += beam(nodes[e], nodes[e + 1])
        for node in (e, e + 1):
            load[6 * node + 2] -= 0.5 * weight * numpy.linalg.norm(nodes[e + 1] - nodes[e])
    free = slice(12, 6 * n - 12)
    motion = numpy.linalg.solve(stiffness[free, free], load[free])
    return -motion[6 * (n // 2 - 2) + 2]


def judge(case):
    still = case.run(label="still", **STILL)
    flow = case.run(label="flow", wetting__dripping="false")
    drip = case.run(label="drip")
    tight = case.run(label="tight", strands__coil__file="tight.obj", probes__middle__vertex="60",
                     simulation__gravity="0 0 -0.0981 m/s2", **STILL)
    depth = {name: -run.strand(10, "coil")[:, 2].min() for name, run in (("still", still), ("flow", flow), ("drip", drip))}
    film, shape = flow.film(10, "coil"), flow.strand(10, "coil")
    plot = Plot("Height of the slack hair's middle", "time [s]", "z [mm]")
    for name, run in (("still", still), ("flow", flow), ("flow and drip", drip)):
        probes = run.probes()
        plot.line(name, probes["time"], 1000 * probes["middle.z"])
    case.picture(plot)
    probes, ledger = drip.probes(), drip.report()["ledger"]
    nodes = points(case.folder / "tight.obj")
    sag = tight.probes()["middle.z"]
    whole = ledger["bulk"] + ledger["film"] + ledger["pool"] + ledger["left"]
    return [
        Figure("sag of the tight coil", nodes[60, 2] - sag[-1], frame_sag(nodes, GRAVITY / 100), 0.05, "frame of beams", unit="m"),
        at_most("sag without flow, as a share of that with it", depth["still"] / depth["flow"], 0.99, "it gathers in the middle"),
        # On one side of the lowest vertex the hair lies lower than on the other, and so does the liquid.
        at_most("flow: edges from the lowest vertex to the thickest film", abs(int(numpy.argmax(film)) - int(numpy.argmin(shape[:, 2]))), 1,
                "it gathers there"),
        at_most("sag with dripping, as a share of that without", depth["drip"] / depth["flow"], 0.99, "it is lighter"),
        at_most("dripping: what is left on it, as a share", probes["film"][-1] / probes["film"][0], 0.9, "it drips"),
        Figure("dripping: water on it, in drops and gone", whole, probes["film"][0], 1e-9, "as at the start", unit="m³"),
    ]
