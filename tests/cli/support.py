"""What the tests of the command line share. The program under test is $RIVULET_BIN."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = os.environ["RIVULET_BIN"]
FULL = os.environ.get("RIVULET_FULL") == "1"

# A tank with an obstacle and probes of both kinds: a second or two in all.
SCENE = """
title = "tank"
[simulation]
cell_size = "3 cm"
end_time = "0.4 s"
frame_rate = "50 Hz"
[domain]
lower = "0 0 0 m"
upper = "0.6 0.3 0.4 m"
walls = { "+z" = "open" }
[liquids.water]
material = "water"
[bodies.pool]
liquid = "water"
shape = { type = "box", lower = "0 0 0 m", upper = "0.25 0.3 0.25 m" }
[obstacles.post]
shape = { type = "box", lower = "0.4 0.1 0 m", upper = "0.5 0.2 0.2 m" }
[probes.front]
kind = "maximum"
field = "position.x"
every = "frame"
[probes.push]
kind = "force"
object = "post"
every = "step"
"""


class CliTest(unittest.TestCase):
    """Runs the program in a folder of its own, with SCENE there as tank.toml."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rivulet-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.scene = self.folder / "tank.toml"
        self.scene.write_text(SCENE)

    def rivulet(self, *arguments, expect=0, timeout=600, **options):
        """The finished process; fails the test unless the exit code is `expect`."""
        done = subprocess.run([BIN, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=timeout, **options)
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def run_scene(self, out, *arguments, scene=None, expect=0, **options):
        return self.rivulet("run", scene or self.scene, "--out", out, "--progress", "none", *arguments,
                            expect=expect, **options)

    def report(self, out):
        return json.loads((self.folder / out / "report.json").read_text())

    def state_hash(self, out, *arguments, **options):
        self.run_scene(out, *arguments, **options)
        return self.report(out)["state_hash"]


def gallery():
    """Paths of the gallery's scenes."""
    return sorted((ROOT / "scenes").glob("*.toml"))
