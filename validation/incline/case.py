"""Nine parallel rods, in rows of four, three and two, lie on an incline between two walls without friction, which keep the lowest row
from being spread. The block holds up to tan α = μ and slides with g (sin α - μ cos α) beyond. It is tried at half a degree and
a degree to either side; the onset is taken halfway between the steepest incline that holds it and the flattest that does not.
Sliding counts from half a radius in the last tenth of a second.
"""
import math

import numpy

from harness import Figure
from svg_plot import Plot

TITLE = "Block of strands on an incline"
GRAVITY, RADIUS, RODS, FRAMES, INTERVAL = 9.81, 1e-3, 9, 30, 0.01
SIDES, STEEP = (-1, -0.5, 0.5, 1), 10


def slid(case, friction, degrees):
    """How far the block has come down by each frame."""
    angle = math.radians(degrees)
    gravity = f"{GRAVITY * math.sin(angle):.9f} 0 {-GRAVITY * math.cos(angle):.9f} m/s2"
    run = case.run(label=f"{friction}-{degrees:.1f}", simulation__gravity=gravity, strands__block__friction=friction)
    place = [numpy.mean([run.strand(n, "block", rod)[:, 0].mean() for rod in range(RODS)]) for n in range(FRAMES + 1)]
    return numpy.array(place) - place[0]


def judge(case):
    time = INTERVAL * numpy.arange(FRAMES + 1)
    plot = Plot("Way of the block, ten degrees beyond the onset", "time [s]", "way [m]")
    figures = []
    for friction in (0.1, 0.3, 0.5):
        critical = math.degrees(math.atan(friction))
        ways = {side: slid(case, friction, critical + side) for side in (*SIDES, STEEP)}
        holds = [side for side in SIDES if ways[side][-1] - ways[side][20] < RADIUS / 2]
        slides = [side for side in SIDES if side not in holds]
        onset = critical + (max(holds, default=-math.inf) + min(slides, default=math.inf)) / 2
        steep = math.radians(critical + STEEP)
        expected = GRAVITY * (math.sin(steep) - friction * math.cos(steep))
        measured = 2 * numpy.polyfit(time[5:], ways[STEEP][5:], 2)[0]
        plot.points(f"friction {friction}", time[::2], ways[STEEP][::2])
        plot.line(f"theory {friction}", time, expected * time**2 / 2, dashed=True)
        figures += [
            Figure(f"onset, friction {friction}", onset, critical, 1, "tan α = μ", unit="deg", relative=False),
            Figure(f"acceleration, friction {friction}", measured, expected, 0.02, "g (sin α - μ cos α)", unit="m/s²"),
        ]
    case.picture(plot)
    return figures
