"""A tuft of 12 hairs is dipped into a tank, drawn out and shaken while a tap runs and a hole drains. The audit is made from what the frames
hold, not from the program's accounts: volumes of particles, rings of film over the lengths of the hairs, drops at tips; frames have single
precision, so it closes to 1e-6. What was there at the start is that of the box. The program's own ledger, in double precision,
closes to 1e-12 in every frame. What is on hairs is what they caught less what they shed.
"""
import h5py
import numpy

from harness import Figure, at_least, at_most
from svg_plot import Plot

TITLE = "Volume audit of wet hair"
POOL, MOUTH, TAPPED = 0.03 * 0.02 * 0.015, 0.005**3, 0.005**2 * 0.1 * 0.2


def audit(path):
    """Volumes of bulk, and of what is on hairs, in a frame [m³]."""
    with h5py.File(path) as file:
        bulk = file["liquid/volume"][:].astype(float).sum()
        x, thick = file["strands/position"][:].astype(float), file["strands/film_thickness"][:].astype(float)
        first, radius = file["strands/first"][:].flatten(), file["strands/radius"][:].astype(float).flatten()
        wet = file["strands/pool"][:].astype(float).sum()
    for s, r in enumerate(radius):
        part = slice(first[s], first[s + 1])
        edges = numpy.linalg.norm(numpy.diff(x[part], axis=0), axis=1)
        lengths = 0.5 * (numpy.append(edges, 0) + numpy.append(0, edges))
        wet += numpy.sum(numpy.pi * ((thick[part] + r)**2 - r**2) * lengths)
    return bulk, wet


def judge(case):
    run = case.run(simulation__end_time="5 s") if case.full else case.run()
    rows = run.table("ledger.csv")
    rows = {key: values[::2] for key, values in rows.items()}  # one liquid, then the total, which is the same
    found = numpy.array([audit(run.folder / f"frames/{int(frame):06d}.h5") for frame in rows["frame"]])
    there = POOL + rows["emitted"] - rows["drained"] - rows["left"]
    exchanged = rows["caught"] - rows["shed"]
    plot = Plot("Water on the tuft and gone from the tank", "time [s]", "volume [µl]")
    plot.line("on hairs, by frames", rows["time"], 1e9 * found[:, 1])
    plot.line("what the rest has lost", rows["time"], 1e9 * (there - found[:, 0]), dashed=True)
    case.picture(plot)
    return [
        Figure("water at the start", found[0, 0], POOL + MOUTH, 1e-5, "the tank's and the tap's mouth", unit="m³"),
        Figure("water from the tap", rows["emitted"][-1], MOUTH + TAPPED, 0.02, "mouth, and area, speed and time", unit="m³"),
        at_most("audit of frames: largest error, as a share", numpy.abs(found.sum(axis=1) / there - 1).max(), 1e-6, "box, tap, hole"),
        at_most("water on hairs against caught less shed, as a share of the most there was",
                numpy.abs(found[:, 1] - exchanged).max() / exchanged.max(), 1e-5, "one's gain is the other's loss"),
        at_most("error of the ledger", numpy.abs(rows["relative_error"]).max(), 1e-12, "nothing is lost"),
        at_most("momentum of hairs that is not accounted for, as a share", run.report()["strands"]["relative_error"], 1e-8,
                "weight, clip, water, what was caught and shed"),
        at_least("most water on the tuft, as a share of the hairs' volume", exchanged.max() / (12 * numpy.pi * 50e-6**2 * 0.025), 1,
                 "they get wet"),
    ]
