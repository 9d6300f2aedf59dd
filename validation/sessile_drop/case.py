"""Half a ball of a viscous liquid, 8 cells high, sits on a smooth floor without gravity and turns into the spherical cap that
meets the floor at the contact angle. The angle is read from the height of the centre of mass, which for a cap of known
volume depends on the angle alone, as the mean over the last third of the run. The radius around the centre that holds 99 %
of the volume tells of liquid that leaves as a film, and the speed that holds for 99 % of it whether the drop has come to rest.
The same on a table, a box whose top lies 0.25, 0.5 and 0.75 cells above a plane of the grid.
"""
import itertools
import math

import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Contact angle of a drop on a floor"
VOLUME = 2 * math.pi / 3 * 0.008**3
END = {30: 0.44, 45: 0.4, 60: 0.4, 90: 0.2, 120: 0.6}   # by when the drop of each angle is at rest, in s


def ball_radius(angle):
    """Of the ball that the cap is cut from."""
    c = numpy.cos(angle)
    return (3 * VOLUME / (math.pi * (1 - c) ** 2 * (2 + c))) ** (1 / 3)


def centre_height(angle):
    """Height of the centre of mass of a cap, from the integral of z times its sections."""
    radius = ball_radius(angle)
    height = radius * (1 - numpy.cos(angle))
    return 3 * (2 * radius - height) ** 2 / (4 * (3 * radius - height)) - radius * numpy.cos(angle)


def angles(heights):
    table = numpy.radians(numpy.linspace(5, 175, 2001))
    return numpy.degrees(numpy.interp(heights, centre_height(table), table))


def holding_radius(angle, share=0.99):
    """Radius around the axis that holds this share of a cap, from the integral of its sections."""
    radius = ball_radius(angle)
    z = numpy.linspace(radius * math.cos(angle), radius, 4001)
    section = radius**2 - z**2
    r = numpy.linspace(0, radius * (1 if angle > math.pi / 2 else math.sin(angle)), 1001)
    held = [numpy.minimum(section, x**2).sum() / section.sum() for x in r]
    return float(numpy.interp(share, held, r))


def weighted_quantile(values, weights, share):
    order = numpy.argsort(values)
    return float(values[order][numpy.searchsorted(numpy.cumsum(weights[order]), share * weights.sum())])


def judge(case):
    settings = {"simulation__cell_size": "0.66666666667 mm"} if case.full else {}
    cell = 0.001 / 1.5 if case.full else 0.001
    plot = Plot("Contact angle, from the height of the centre of mass", "time [s]", "angle [degrees]")
    figures = []
    for angle, end in END.items():
        run = case.run(label=str(angle), liquids__syrup__contact_angle=f"{angle} deg", simulation__end_time=f"{end} s", **settings)
        probes = run.probes()
        t, measured = probes["time"], angles(probes["centre.z"])
        plot.line(f"{angle} degrees", t, measured)
        last = run.frame(int(run.report()["frames"]))
        centre = numpy.average(last["position"], axis=0, weights=last["volume"].flatten())
        r = numpy.hypot(*(last["position"] - centre)[:, :2].T)
        speed = numpy.linalg.norm(last["velocity"], axis=1)
        asked = f"angle asked for: {angle} degrees"
        figures += [
            Figure(asked, float(measured[t > 2 / 3 * t[-1]].mean()), angle, 3, "the scene", unit="degrees", relative=False),
            Figure(f"{asked}; radius that holds 99 %", weighted_quantile(r, last["volume"].flatten(), 0.99),
                   holding_radius(math.radians(angle)), 0.04, "a spherical cap", unit="m"),
            at_most(f"{asked}; speed at the end", weighted_quantile(speed, last["volume"].flatten(), 0.99), 0.002, "rest",
                    unit="m/s"),
        ]
    for part, angle in itertools.product((0.25, 0.5, 0.75), (60, 90, 120)):
        top = part * cell
        place = f'"0 0 {top:.9g} m"'
        run = case.run("table.toml", f"table-{part}-{angle}", liquids__syrup__contact_angle=f"{angle} deg",
                       simulation__end_time=f"{END[angle]} s", obstacles__table__position=place, bodies__drop__position=place,
                       **settings)
        probes = run.probes()
        measured = angles(probes["centre.z"] - top)
        figures.append(Figure(f"angle asked for: {angle} degrees; table {part} cells above a plane of the grid",
                              float(measured[probes["time"] > 2 / 3 * END[angle]].mean()), angle, 5, "the scene", unit="degrees",
                              relative=False))
    case.picture(plot)
    return figures
