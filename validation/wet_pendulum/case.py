"""A hair is let go at 45 degrees with a drop 27 times as heavy as itself near its root. The drop falls, sliding down along the hair, and
swings the hair down. The gallery's scene, in a box that is deep enough for what falls off. Once as it is, with water; once with the film on
the 42 vertices of the hair and none between, whose bead is two or three vertices long: the surface of such a bead depends on where it lies between them by 6.5 % of a
sphere's; once so on 165 vertices; once without surface tension and friction. Then the drop falls as seven smooth beads on a rigid hair do, nearly freely; that the hair can bend lets it fall a little faster.

Mechanical energy is that of motion, weight, bending and the film's surface, of which the drop has half as much at the start as its weight could do on
the way to the tip. It counts on the film's own mesh, of which an edge of the hair is five. What it rises by above its lowest value so far is set against the surface's energy at the start and the potential energy set
free until then.

Maxima of the angular speed count until half of the drop has left the tip, at 0.094 s. Then the hair is let go from what was 27 times as heavy, with what speed and bend it has at that moment, and swings
on by itself: whether its speed rises once more is the hair's own motion, and differs with the time step.

Momentum of hair, film and drops is the weight of all times the time, less what the hook bears. The program's own accounts of
the same close to 1e-9. The force on the hook is that of the hair's step; what liquid does to the pinned vertex itself within the film's
step is booked, but is not a part of the force that is shown, hence 0.3 %.
"""
import math

import numpy

from harness import Figure, at_least, at_most
from svg_plot import Plot

TITLE = "Wet hair as a pendulum"
RADIUS, LENGTH, DENSITY, WATER, GRAVITY = 37e-6, math.hypot(0.0332, 0.0332), 1300, 1000, 9.81
DROP = 7 * LENGTH / 41 * math.pi * ((RADIUS + 0.5e-3)**2 - RADIUS**2)  # on 7 of 42 vertices
MASS = DENSITY * math.pi * RADIUS**2 * LENGTH + WATER * DROP
# The scene's own figure is of a fall to the floor of its domain.
SETTINGS = {"domain__lower": "-8 -3 -290 cm", "simulation__end_time": "0.75 s", "simulation__frame_rate": "1000 Hz",
            "test__drops_fall_as_fast_as_a_bead__tolerance": "100 m/s",
            "probes__hook__kind": "force", "probes__hook__object": "hook", "probes__hook__every": "step"}

def fall_of_beads(duration, steps=500):
    """How far the mean of seven smooth beads on a rigid, pinned rod falls, by the rule of Runge and Kutta."""
    bead, rod, inertia = WATER * DROP / 7, DENSITY * math.pi * RADIUS**2 * LENGTH, DENSITY * math.pi * RADIUS**2 * LENGTH**3 / 3

    def rates(y):
        angle, turning, s, u = y[0], y[1], y[2:9], y[9:16]
        moment = -2 * turning * bead * (s @ u) - GRAVITY * math.sin(angle) * (0.5 * rod * LENGTH + bead * s.sum())
        return numpy.concatenate(([turning, moment / (inertia + bead * (s @ s))], u, s * turning**2 + GRAVITY * math.cos(angle)))

    y = numpy.concatenate(([math.pi / 4, 0], LENGTH / 41 * numpy.arange(4, 11), numpy.zeros(7)))
    start, dt = math.cos(y[0]) * y[2:9].mean(), duration / steps
    for _ in range(steps):
        first = rates(y)
        second = rates(y + 0.5 * dt * first)
        third = rates(y + 0.5 * dt * second)
        y = y + dt / 6 * (first + 2 * second + 2 * third + rates(y + dt * third))
    return math.cos(y[0]) * y[2:9].mean() - start


def swings(probes):
    """Largest number of maxima that the tip's angular speed has between two turning points, until half of the drop has left; of a swing of over
    0.01 rad."""
    there = slice(0, int(numpy.argmax(probes["film"] < 0.5 * probes["film"][0])) or None)
    time, angle = probes["time"][there], numpy.arctan2(probes["tip.x"], -probes["tip.z"])[there]
    speed = numpy.gradient(angle, time)
    turns = [0, *(numpy.flatnonzero(speed[1:] * speed[:-1] < 0) + 1), len(time)]
    most = 0
    for begin, end in zip(turns, turns[1:]):
        part = numpy.abs(speed[begin:end])
        if numpy.ptp(angle[begin:end]) < 0.01 or len(part) < 5:
            continue
        smooth = numpy.convolve(part, numpy.ones(5) / 5, "valid")
        rising = numpy.diff(smooth) > 1e-3 * smooth.max()
        falling = numpy.diff(smooth) < -1e-3 * smooth.max()
        kinds = [+1 if up else -1 for up, down in zip(rising, falling) if up or down]
        most = max(most, sum(a > 0 > b for a, b in zip(kinds, kinds[1:])))
    return most


def momentum_missing(run):
    """Largest difference of the momentum of all from what weight and hook give, as a share of the weight's in the whole run."""
    probes, sums = run.probes(), run.table("energy.csv")
    steps = numpy.diff(probes["time"], prepend=0)
    missing = 0
    for axis, pull in (("x", 0), ("z", -GRAVITY)):
        expected = MASS * pull * probes["time"] - numpy.cumsum(probes[f"hook.{axis}"] * steps)
        at_frames = numpy.interp(sums["time"], probes["time"], expected)
        missing = max(missing, numpy.abs(sums[f"momentum.{axis}"] - at_frames).max())
    return missing / (MASS * GRAVITY * probes["time"][-1])


def energy_rise(run):
    """Largest rise of the mechanical energy above its lowest value so far, as a share of the surface's energy at the start and the potential energy
    that was set free; once these are a tenth of what the weight could do along the hair, which with tension they are from the start."""
    sums = run.table("energy.csv")
    whole = sums["kinetic"] + sums["potential"] + sums["elastic"] + sums["surface"]
    freed = sums["surface"][0] + sums["potential"][0] - sums["potential"]
    late = freed > 0.1 * MASS * GRAVITY * LENGTH
    return ((whole - numpy.minimum.accumulate(whole))[late] / freed[late]).max()


def judge(case):
    water = case.run("scenes/wet_pendulum.toml", label="water", **SETTINGS)
    coarse = case.run("scenes/wet_pendulum.toml", label="coarse", wetting__film_parts="1", **SETTINGS)
    fine = case.run("scenes/wet_pendulum.toml", label="fine", wetting__film_parts="1", strands__hair__vertices="165", simulation__strand_step="0.25 ms", **SETTINGS)
    smooth = case.run("scenes/wet_pendulum.toml", label="smooth", wetting__tension="false", wetting__friction="false", **SETTINGS)
    plot = Plot("Angle of the tip", "time [s]", "angle [deg]")
    for name, run in (("water", water), ("film on the vertices of the hair", coarse), ("no tension, no friction", smooth)):
        probes = run.probes()
        plot.line(name, probes["time"], numpy.degrees(numpy.arctan2(probes["tip.x"], -probes["tip.z"])))
    case.picture(plot)
    probes = smooth.probes()
    fall = probes["drop.z"][0] - probes["drop.z"][int(numpy.argmin(numpy.abs(probes["time"] - 0.05)))]
    return [
        Figure("volume of the drop", water.probes()["film"][0], DROP, 1e-6, "7 vertices' lengths of ring", unit="m³"),
        Figure("fall of the drop in 0.05 s", fall, fall_of_beads(0.05), 0.03, "beads on a rigid hair", unit="m"),
        Figure("maxima of the angular speed until it leaves, water", swings(water.probes()), 1, 0, "a smooth swing"),
        Figure("maxima of the angular speed until it leaves, smooth", swings(probes), 1, 0, "a smooth swing"),
        at_most("momentum missing, water", momentum_missing(water), 0.01, "weight and what the hook bears"),
        at_most("momentum missing, smooth", momentum_missing(smooth), 0.01, "weight and what the hook bears"),
        at_most("rise of the mechanical energy, water", energy_rise(water), 0.01, "nothing drives it"),
        at_least("the same, the film on the vertices of the hair", energy_rise(coarse), 0.03, "what the mesh is for"),
        at_most("the same, on 165 vertices at 0.25 ms", energy_rise(fine), 0.01, "nothing drives it"),
        at_most("rise of the mechanical energy, smooth", energy_rise(smooth), 0.01, "nothing drives it"),
        at_most("error of the liquid's ledger", water.table("ledger.csv")["relative_error"].max(), 1e-12, "nothing is lost"),
    ]
