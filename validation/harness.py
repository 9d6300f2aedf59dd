"""What the validation cases share: running the program, reading what it wrote, judging a number."""
import csv
import dataclasses
import json
import math
import pathlib
import shlex
import subprocess

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Why turning liquid slows down: a reason that cases share.
TURNING_AT_WALLS = ("faces inside of walls take the mean of the faces beside them, which flattens a shear along a wall by a little every "
                    "step; in corners and between vortices particles are drawn apart until cells are empty.")


@dataclasses.dataclass
class Figure:
    """A measured number beside the one it should be."""
    what: str
    measured: float
    expected: float
    bound: float            # largest difference that passes; a share of `expected` where `relative`
    source: str             # of the expected number
    unit: str = ""
    relative: bool = True
    known_miss: str = ""    # why it misses, for as long as it does
    is_least: bool = False  # more than expected is as good; `bound` then only says how far from the page a run may be

    @property
    def deviation(self):
        difference = self.measured - self.expected
        return difference / self.expected if self.relative else difference

    @property
    def passed(self):
        if self.is_least:
            return math.isfinite(self.measured) and self.measured >= self.expected
        return math.isfinite(self.measured) and abs(self.deviation) <= self.bound


def at_most(what, measured, bound, source, **more):
    """A figure that should be zero and may reach `bound`."""
    return Figure(what, measured, 0, bound, source, relative=False, **more)


def at_least(what, measured, least, source, **more):
    """A figure that should be `least` or more."""
    return Figure(what, measured, least, 1, source, is_least=True, **more)


class Run:
    """A finished run folder."""

    def __init__(self, folder):
        self.folder = folder

    def table(self, name):
        """Columns of a CSV file as arrays; texts are left out, fields without a value are NaN."""
        rows = list(csv.DictReader((self.folder / name).read_text().splitlines()))
        columns = {}
        for key in rows[0]:
            try:
                columns[key] = numpy.array([float(row[key] or "nan") for row in rows])
            except ValueError:
                continue
        return columns

    def probes(self):
        return self.table("probes.csv")

    def frame(self, number):
        """Arrays of the liquid in one frame, by name, in double precision."""
        with h5py.File(self.folder / f"frames/{number:06d}.h5") as file:
            return {name: values[:].astype(float) for name, values in file["liquid"].items()}

    def strand(self, frame, group, number=0):
        """Positions of the vertices of one strand of a group in one frame."""
        with h5py.File(self.folder / f"frames/{frame:06d}.h5") as file:
            return file["strands/position"][slice(*self.vertices(file, group, number))].astype(float)

    @staticmethod
    def vertices(file, group, number):
        """Where the vertices of one strand of a group begin and end in the arrays of a frame."""
        names = [name.decode() if isinstance(name, bytes) else str(name) for name in file["strand_groups/name"][:].flat]
        strand = int(numpy.flatnonzero(file["strands/group"][:].flatten() == names.index(group))[number])
        return file["strands/first"][:].flatten()[strand:strand + 2]

    def film(self, frame, group, number=0):
        """Thickness of the film at the vertices of one strand of a group in one frame."""
        with h5py.File(self.folder / f"frames/{frame:06d}.h5") as file:
            return file["strands/film_thickness"][slice(*self.vertices(file, group, number))].astype(float)

    def report(self):
        return json.loads((self.folder / "report.json").read_text())


class Case:
    """One case at one size: runs scenes of its folder with the program and remembers the commands."""

    def __init__(self, name, full, binary, out, images):
        self.name = name
        self.full = full
        self.binary = binary
        self.out = out
        self.images = images
        self.folder = ROOT / "validation" / name
        self.commands = []
        self.cpu_seconds = 0.0

    @property
    def size(self):
        return "full" if self.full else "small"

    def run(self, scene="scene.toml", label="", may_fail=False, **settings):
        """Runs a scene of the case, or one of the gallery ("scenes/NAME.toml"); `settings` become --set, with "__" for the dots
        of a key. A run that `may_fail` may end with exit code 4, which its report then holds."""
        path = pathlib.Path(scene) if scene.startswith("scenes/") else (self.folder / scene).relative_to(ROOT)
        sets = [word for key, value in settings.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]
        self.commands.append(shlex.join(["rivulet", "run", str(path), *sets]))
        out = self.out / "-".join(filter(None, (self.name, self.size, label)))
        done = subprocess.run([self.binary, "run", str(path), *sets, "--out", str(out), "--force", "--progress", "none"],
                              cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL if may_fail else None)
        if not (may_fail and done.returncode == 4):
            done.check_returncode()
        run = Run(out)
        self.cpu_seconds += run.report()["cpu_s"]
        return run

    def picture(self, plot):
        """Writes the case's plot."""
        self.images.mkdir(parents=True, exist_ok=True)
        (self.images / f"{self.name}-{self.size}.svg").write_text(plot.svg())
