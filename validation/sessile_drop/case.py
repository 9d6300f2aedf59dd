"""Half a ball of a viscous liquid, 8 cells high, sits on a smooth floor without gravity and turns into the spherical cap that
meets the floor at the contact angle. The angle is read from the height of the centre of mass, which for a cap of known
volume depends on the angle alone, as the mean over the last third of the run.
"""
import math

import numpy

from harness import Figure
from svg_plot import Plot

TITLE = "Contact angle of a drop on a floor"
VOLUME = 2 * math.pi / 3 * 0.008**3


def centre_height(angle):
    """Height of the centre of mass of a cap, from the integral of z times its sections."""
    c = numpy.cos(angle)
    radius = (3 * VOLUME / (math.pi * (1 - c) ** 2 * (2 + c))) ** (1 / 3)
    height = radius * (1 - c)
    return 3 * (2 * radius - height) ** 2 / (4 * (3 * radius - height)) - radius * c


def angles(heights):
    table = numpy.radians(numpy.linspace(5, 175, 2001))
    return numpy.degrees(numpy.interp(heights, centre_height(table), table))


def judge(case):
    settings = {"simulation__cell_size": "0.66666666667 mm"} if case.full else {}
    plot = Plot("Contact angle, from the height of the centre of mass", "time [s]", "angle [degrees]")
    figures = []
    for angle in (60, 120):
        probes = case.run(label=str(angle), liquids__syrup__contact_angle=f"{angle} deg", **settings).probes()
        t, measured = probes["time"], angles(probes["centre.z"])
        plot.line(f"{angle} degrees", t, measured)
        figures.append(Figure(f"angle asked for: {angle} degrees", float(measured[t > 2 / 3 * t[-1]].mean()), angle, 6,
                              "the scene", unit="degrees", relative=False))
    case.picture(plot)
    return figures
