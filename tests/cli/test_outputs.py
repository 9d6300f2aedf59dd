"""What a run leaves behind can be read by others."""
import csv
import json
import math
import os
import pty
import re
import subprocess
import unittest

import h5py

from support import BIN, CliTest

STRANDS = """
[simulation]
cell_size = "5 cm"
end_time = "20 ms"
frame_rate = "50 Hz"
[domain]
lower = "0 0 0 m"
upper = "1 1 1 m"
[strands.hair]
kind = "bundle"
start = "0.3 0.5 0.8 m"
end = "0.4 0.5 0.8 m"
count = 3
vertices = 5
"""

WET_STRANDS = STRANDS.replace("20 ms", "4 ms").replace("50 Hz", "250 Hz") + """
radius = "0.2 mm"
film = { thickness = "1 mm", from = 0.2, to = 0.6 }
[liquids.water]
material = "water"
[wetting]
liquid = "water"
[probes.dripped]
kind = "shed_volume"
[probes.shed]
kind = "film_shed"
object = "hair"
[probes.rate]
kind = "film_shed_rate"
object = "hair"
[probes.wet]
kind = "film_volume"
object = "hair"
"""


class Outputs(CliTest):
    def setUp(self):
        super().setUp()
        self.run_scene("out", "--frames", "3")

    def test_frames_open_in_h5py(self):
        with h5py.File(self.folder / "out/frames/000003.h5") as frame:
            self.assertAlmostEqual(frame.attrs["time"], 0.06, places=12)
            n = len(frame["liquid/id"])
            self.assertEqual(frame["liquid/position"].shape, (n, 3))
            self.assertEqual(frame["liquid/position"].attrs["unit"], b"m")
            self.assertAlmostEqual(float(frame["liquid/volume"][:].sum(dtype="f8")), 0.25 * 0.3 * 0.25, delta=2e-4)
            self.assertEqual(list(frame["bodies/name"]), [b"post"])
            self.assertTrue(frame["liquid/position"].fletcher32)

    def test_checkpoints_open_in_h5py(self):
        path = max((self.folder / "out/checkpoints").glob("*.h5"))
        with h5py.File(path) as checkpoint:
            self.assertEqual(checkpoint.attrs["frame"], 3)
            self.assertEqual(checkpoint["state/liquid/affine"].shape[1], 9)
            self.assertIn(b"[simulation]", bytes(checkpoint["scene/text"][:]))

    def test_tables_have_a_row_a_frame_and_a_step(self):
        steps = self.report("out")["steps"]
        rows = {name: list(csv.DictReader((self.folder / "out" / name).read_text().splitlines()))
                for name in ("ledger.csv", "probes.csv", "steps.csv", "energy.csv")}
        self.assertEqual(len(rows["steps.csv"]), steps)
        self.assertEqual([int(r["step"]) for r in rows["probes.csv"]], list(range(steps + 1)))
        self.assertEqual([(r["frame"], r["liquid"]) for r in rows["ledger.csv"]],
                         [(str(f), name) for f in range(4) for name in ("water", "total")])
        self.assertTrue(all(float(r["relative_error"]) <= 1e-12 for r in rows["ledger.csv"]))
        self.assertEqual(sum(r["front"] != "" for r in rows["probes.csv"]), 4)  # sampled at frames
        self.assertTrue(all(r["push.x"] for r in rows["probes.csv"]))  # sampled at steps

    def test_progress_as_json_lines(self):
        done = self.rivulet("run", self.scene, "--out", "json", "--frames", "2", "--progress", "json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([line["event"] for line in lines], ["frame", "frame", "end"])
        self.assertEqual(lines[-1]["state_hash"], self.report("json")["state_hash"])
        self.assertIsNone(lines[-1]["failure"])
        for member in ("frame", "time_s", "dt_s", "particles", "remaining_s"):
            self.assertIn(member, lines[0])

    def test_the_end_of_a_failed_run_says_why_in_json(self):
        done = self.rivulet("run", self.scene, "--out", "json", "--progress", "json", "--set", "simulation.min_step=9 ms",
                            "--set", "simulation.cfl=0.01", expect=4)
        end = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(end["exit"], 4)
        self.assertIn("below simulation.min_step", end["failure"])

    def test_progress_names_what_limits_the_steps_of_a_frame(self):
        done = self.rivulet("run", self.scene, "--out", "json", "--frames", "2", "--progress", "json", "--set",
                            "simulation.max_step=3 ms")
        for line in map(json.loads, done.stdout.splitlines()[:-1]):
            self.assertEqual((line["limiter"], line["dt_s"]), ("max_step", 3e-3))

    def test_progress_is_lines_in_a_pipe_and_a_bar_on_a_terminal(self):
        done = self.rivulet("run", self.scene, "--out", "plain", "--frames", "2")
        self.assertEqual(sum(line.startswith("frame ") for line in done.stdout.splitlines()), 2)
        primary, secondary = pty.openpty()
        process = subprocess.Popen([BIN, "run", self.scene, "--out", "bar", "--frames", "2"], cwd=self.folder, stdout=secondary)
        os.close(secondary)
        shown = b""
        while True:
            try:
                piece = os.read(primary, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        self.assertEqual(process.wait(), 0)
        self.assertIn(b"\r\x1b[K[", shown)
        self.assertIn(b"frame 2/2", shown)
        self.assertRegex(shown, rb"t 0\.04 s  dt [\d.]+ ms  \d+ particles  0 s left")

    def test_pictures_plots_and_exports_are_made(self):
        small = ["--width", "96", "--height", "54", "--samples", "1"]
        self.rivulet("render", "out", *small, "--movie", "film.mp4")
        self.rivulet("render", "out", *small, "--movie", "film.gif")
        self.rivulet("render", "out", "--frame", "2", *small)
        self.rivulet("render", "out", "--frame", "9", expect=2)
        self.rivulet("plot", "out")
        self.rivulet("mesh", "out", "--frame", "3")
        for kind in ("usd", "vdb", "ply", "obj"):
            self.rivulet("export", "out", "--to", kind)
        for name, magic in (("preview/000003.png", b"\x89PNG"), ("plots/ledger.svg", b"<"), ("mesh/000003.ply", b"ply\n"),
                            ("export/usd/out.usda", b"#usda 1.0"), ("export/vdb/000003.vdb", b" BDV"), ("export/ply/000003.ply", b"ply\n"),
                            ("export/obj/000003.obj", b"")):
            content = (self.folder / "out" / name).read_bytes()
            self.assertTrue(content.startswith(magic) and len(content) > 100, name)
        self.assertEqual((self.folder / "film.mp4").read_bytes()[4:8], b"ftyp")
        self.assertEqual((self.folder / "film.gif").read_bytes()[:6], b"GIF89a")

    def test_usd_is_named_for_the_run_however_its_path_is_written(self):
        for path in ("out/", "out/.", "./out"):
            self.assertIn("export/usd/out.usda", self.rivulet("export", path, "--to", "usd").stdout)
        self.assertEqual([p.name for p in (self.folder / "out/export/usd").glob(".*")], [])

    def test_info_of_a_run_without_report_names_the_command_that_goes_on(self):
        self.run_scene("cut", "--frames", "2")
        (self.folder / "cut/report.json").unlink()
        command = next(line for line in self.rivulet("info", "cut").stdout.splitlines() if "--resume" in line).split()
        self.assertEqual(command[0], "rivulet")
        self.rivulet(*command[1:], "--frames", "3")
        self.assertEqual(self.report("cut")["state_hash"], self.report("out")["state_hash"])

    def test_one_frame_as_usd_leaves_the_animation_alone(self):
        self.rivulet("export", "out", "--to", "usd")
        whole = (self.folder / "out/export/usd/out.usda").read_text()
        self.assertIn("out/export/usd/000002.usda", self.rivulet("export", "out", "--to", "usd", "--frame", "2").stdout)
        self.assertEqual((self.folder / "out/export/usd/out.usda").read_text(), whole)
        one = (self.folder / "out/export/usd/000002.usda").read_text()
        self.assertIn("endTimeCode = 2", one)
        self.assertIn("startTimeCode = 2", one)
        self.assertIn("uniform bool doubleSided = 1", one)

    def test_the_same_frame_is_the_same_picture_and_the_same_export(self):
        for out in ("once", "again"):
            for kind in ("usd", "vdb", "ply", "obj"):
                self.rivulet("export", "out", "--to", kind, "--frame", "3", "--out", out, "--threads", "1" if out == "once" else "3")
        files = sorted(p.name for p in (self.folder / "once").iterdir())
        self.assertEqual(len(files), 4)
        for name in files:
            self.assertEqual((self.folder / "once" / name).read_bytes(), (self.folder / "again" / name).read_bytes(), name)
        drawn = []
        for threads in ("1", "3"):
            self.rivulet("render", "out", "--frame", "3", "--width", "96", "--height", "54", "--samples", "1", "--threads", threads)
            drawn.append((self.folder / "out/preview/000003.png").read_bytes())
        self.assertEqual(*drawn)

    def test_liquid_on_strands_is_in_frames_meshes_and_exports(self):
        (self.folder / "wet.toml").write_text(WET_STRANDS)
        self.run_scene("wet", scene="wet.toml")
        with h5py.File(self.folder / "wet/frames/000000.h5") as frame:
            self.assertEqual(frame["strands/film_thickness"].attrs["unit"], b"m")
            thickness = frame["strands/film_thickness"][:].reshape(3, 5)
            for v, exact in enumerate((0, 1e-3, 1e-3, 0, 0)):
                self.assertAlmostEqual(thickness[2][v], exact, delta=1e-9)
            self.assertEqual(frame["strands/film_flow"].shape, (15,))
            self.assertEqual(frame["strands/pool"].shape, (3,))
        self.rivulet("mesh", "wet")
        self.assertGreater((self.folder / "wet/mesh/000000.ply").stat().st_size, 5000)
        for kind in ("usd", "obj"):
            self.rivulet("export", "wet", "--to", kind)
        usd = (self.folder / "wet/export/usd/wet.usda").read_text()
        for text in ('def Mesh "films"', "float[] primvars:wetness.timeSamples", "float[] primvars:film_thickness.timeSamples"):
            self.assertIn(text, usd)
        self.assertIn("f ", (self.folder / "wet/export/obj/000000.obj").read_text())
        for kind in ("ply", "vdb"):
            self.assertIn(f"{kind} files hold the bulk only", self.rivulet("export", "wet", "--to", kind).stdout)
        self.rivulet("render", "wet", "--frame", "0", "--width", "96", "--height", "54", "--samples", "1")
        rows = list(csv.DictReader((self.folder / "wet/probes.csv").read_text().splitlines()))
        ring = math.pi * (1.2**2 - 0.2**2) * 1e-6
        self.assertAlmostEqual(float(rows[0]["wet"]) / (3 * 2 * ring * 0.025), 1, places=9)  # two vertices a strand
        for row in rows:
            self.assertAlmostEqual((float(row["wet"]) + float(row["dripped"])) / float(rows[0]["wet"]), 1, places=12)
            self.assertAlmostEqual(float(row["shed"]), float(row["dripped"]), delta=1e-12 * float(rows[0]["wet"]))
        self.assertAlmostEqual(float(rows[-1]["rate"]), float(rows[-1]["shed"]) / 4e-3, delta=1e-9)

    def test_runs_of_strands_alone_are_exported_where_the_format_holds_them(self):
        (self.folder / "strands.toml").write_text(STRANDS)
        self.run_scene("strands", scene="strands.toml")
        for arguments in (("export", "strands", "--to", "ply"), ("export", "strands", "--to", "vdb"), ("mesh", "strands")):
            self.assertIn("no liquid, but 3 strands", self.rivulet(*arguments, expect=2).stderr)
        self.assertFalse((self.folder / "strands/mesh").exists())
        self.rivulet("export", "strands", "--to", "usd")
        self.rivulet("export", "strands", "--to", "obj")
        steps = list(csv.DictReader((self.folder / "strands/steps.csv").read_text().splitlines()))
        self.assertTrue(all(int(row["strand_iterations"]) > 0 and row["contacts"] == "0" for row in steps))
        self.assertGreater(float(steps[-1]["max_speed"]), 0.1)  # it falls: g times nearly 20 ms
        lines = (self.folder / "strands/export/obj/000001.obj").read_text().splitlines()
        self.assertEqual(lines[0], "# 15 vertices [m] of 3 strands")
        self.assertEqual(sum(line.startswith("v ") for line in lines), 15)
        self.assertEqual([line for line in lines if line.startswith("l ")],
                         ["l 1 2 3 4 5", "l 6 7 8 9 10", "l 11 12 13 14 15"])
        self.rivulet("plot", "strands")
        self.assertIn(">elastic<", (self.folder / "strands/plots/energy.svg").read_text())

    def test_strands_are_coloured_by_a_field_after_the_run(self):
        (self.folder / "strands.toml").write_text(STRANDS)
        self.run_scene("coloured", scene="strands.toml")
        by_speed = ["--frame", "1", "--set", "render.colour_by=speed"]
        shown = self.rivulet("render", "coloured", "--width", "96", "--height", "54", "--samples", "1", *by_speed).stdout
        self.assertRegex(shown, r"000001\.png \(speed 0[.0-9]* to 0\.[0-9]+ m/s\)")
        self.rivulet("export", "coloured", "--to", "usd", *by_speed)
        usd = (self.folder / "coloured/export/usd/000001.usda").read_text()
        colours = re.search(r"primvars:displayColor = \[(.*)\] \(\n *interpolation = \"vertex\"", usd).group(1)
        self.assertEqual(colours.count("("), 15)  # one a vertex
        self.assertIn("changes the simulation",
                      self.rivulet("render", "coloured", "--set", "strands.hair.radius=1 mm", expect=2).stderr)

    def test_a_movie_that_cannot_be_is_refused_before_the_drawing(self):
        small = ["render", "out", "--width", "96", "--height", "54", "--samples", "1", "--movie"]
        self.assertIn("film.avi", self.rivulet(*small, "film.avi", expect=2).stderr)
        self.assertIn("nowhere/film.mp4", self.rivulet(*small, "nowhere/film.mp4", expect=5).stderr)
        self.assertIn("not installed", self.rivulet(*small, "film.mp4", expect=5, env={"PATH": "/nowhere"}).stderr)
        self.assertEqual(list((self.folder / "out/preview").glob("*.png")), [])
        self.assertEqual(list(self.folder.glob("film*")), [])

    def test_a_broken_report_is_named(self):
        (self.folder / "out/report.json").write_text('{"version": ')
        for command in ("info", "plot"):
            self.assertIn("out/report.json: ", self.rivulet(command, "out", expect=5).stderr)

    def test_info_describes_runs_frames_and_checkpoints(self):
        self.assertIn("state_hash", self.rivulet("info", "out").stdout)
        self.assertIn("intact", self.rivulet("info", "out/frames/000001.h5").stdout)
        (self.folder / "renamed").write_bytes((self.folder / "out/frames/000001.h5").read_bytes())
        self.assertIn("frame renamed: frame 1", self.rivulet("info", "renamed").stdout)
        (self.folder / "junk.h5").write_bytes(b"junk" * 1000)
        self.rivulet("info", "junk.h5", expect=5)


if __name__ == "__main__":
    unittest.main()
