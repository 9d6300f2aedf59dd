"""A round jet, 6 cells across, leaves a nozzle at 2 m/s along x. No pressure acts in it, so its middle flies on the parabola
z = -g x²/(2 u²) from the mouth on. The middle is the mean height of the particles in slabs two cells thick; the deviation
is given as a share of the fall.
"""
import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Free jet"
G, SPEED, MOUTH, HEIGHT, CELL = 9.81, 2.0, 0.06, 1.1, 0.01


def judge(case):
    run = case.run(**({"simulation__cell_size": "5 mm"} if case.full else {}))
    liquid = run.frame(35)
    x, volume = liquid["position"], liquid["volume"]
    places = numpy.arange(0.1, 0.81, 0.05)
    middle, speed = [], []
    for place in places:
        here = numpy.abs(x[:, 0] - place) < CELL
        middle.append(numpy.average(x[here, 2], weights=volume[here]) - HEIGHT)
        speed.append(numpy.average(liquid["velocity"][here, 0], weights=volume[here]))
    exact = -0.5 * G * ((places - MOUTH) / SPEED) ** 2
    plot = Plot("Middle of the jet", "x [m]", "height over the nozzle [m]")
    plot.line("parabola", places, exact, dashed=True)
    plot.points("run", places, middle)
    case.picture(plot)
    far = places >= 0.4
    return [
        Figure("fall at x = 0.8 m", middle[-1], exact[-1], 0.02, "z = -g x²/(2 u²)", unit="m"),
        at_most("largest deviation for x ≥ 0.4 m, as a share of the fall",
                numpy.abs(numpy.array(middle)[far] / exact[far] - 1).max(), 0.04, "z = -g x²/(2 u²)"),
        Figure("speed along x, mean", numpy.mean(speed), SPEED, 0.005, "no force along x", unit="m/s"),
    ]
