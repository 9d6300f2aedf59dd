"""A drop of 1 cm at 30 cm/s meets nineteen free hairs, with nothing else around: no weight, no air, no wall. Drag and pressure set the hairs in motion, and
slow the drop by as much. Once the hairs are dry and stay so. Once they are wet, catch a quarter of the water that the drop has and lose as much again:
the momentum of hairs, films and drops together is kept all the same.
"""
import numpy

from harness import at_least, at_most
from svg_plot import Plot

TITLE = "A drop meets free hairs"
EXCHANGING = {"wetting__capture": "true", "wetting__dripping": "true", "wetting__capture_time": "20 ms", "wetting__drip_factor": "0.1",
              "strands__hairs__film": "{thickness='0.3 mm'}"}


def missing(run):
    """Times, and the momentum that is missing then, as a share of all."""
    energy = run.table("energy.csv")
    momentum = numpy.array([energy[f"momentum.{axis}"] for axis in "xyz"])
    return energy["time"], numpy.linalg.norm(momentum - momentum[:, :1], axis=0) / momentum[0, 0]


def judge(case):
    dry = case.run("drop.toml", label="dry")
    wet = case.run("drop.toml", label="wet", **EXCHANGING)
    given = dry.report()["strands"]["momentum"]["now"][0] / dry.table("energy.csv")["momentum.x"][0]
    exchanged = {key: values[-1] for key, values in wet.table("ledger.csv").items()}
    plot = Plot("Momentum that is missing, as a share of all", "time [s]", "share")
    plot.line("dry", *missing(dry))
    plot.line("catching and shedding", *missing(wet))
    case.picture(plot)
    return [
        at_least("what dry hairs get, as a share of all", given, 0.002, "0.2 % or more"),
        at_most("momentum of drop and dry hairs that is missing, as a share of all", missing(dry)[1].max(), 1e-8, "nothing acts from outside"),
        at_most("momentum of dry hairs that is not accounted for, as a share", dry.report()["strands"]["relative_error"], 1e-8, "drag, pressure"),
        at_least("what wet hairs catch, as a share of all water", exchanged["caught"] / exchanged["initial"], 0.1, "a tenth or more"),
        at_least("what they shed, as a share of all water", exchanged["shed"] / exchanged["initial"], 0.1, "a tenth or more"),
        at_most("momentum of drop, hairs and films that is missing, as a share of all", missing(wet)[1].max(), 1e-8,
                "nothing acts from outside"),
        at_most("momentum of wet hairs that is not accounted for, as a share", wet.report()["strands"]["relative_error"], 1e-8,
                "drag, pressure, what was caught and shed"),
    ]
