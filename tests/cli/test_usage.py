"""Exit codes and messages of every command on good and bad usage."""
import json
import unittest

from support import ROOT, CliTest, gallery


CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1)) + """
f 1 2 4 3
f 5 7 8 6
f 1 5 6 2
f 3 4 8 7
f 1 3 7 5
f 2 6 8 4
"""


class Usage(CliTest):
    def test_bad_usage_is_exit_2(self):
        for arguments in ([], ["fly"], ["run"], ["run", "tank.toml", "--frames", "many"], ["run", "tank.toml", "--wings"],
                          ["run", "tank.toml", "--threads", "-1"], ["run", "tank.toml", "--progress", "loud"],
                          ["run", "tank.toml", "--max-memory", "lots"], ["run", "tank.toml", "--until", "3 kg"],
                          ["run", "tank.toml", "--frames", "1", "--until", "1"], ["run", "tank.toml", "--frames", "-1"],
                          ["run", "tank.toml", "--checkpoint-every", "0"], ["run", "tank.toml", "--set", "nonsense"],
                          ["run", "tank.toml", "--resume", "--force"], ["run", "no_such_scene"], ["check", "no_such_scene"],
                          ["check"], ["scenes", "copy"], ["scenes", "copy", "no_such_scene"], ["explain", "no.such.key"],
                          ["explain", "no.such.key", "--format", "markdown"], ["explain", "camera.up", "--format", "schema"],
                          ["info"], ["info", "nowhere"], ["render", "nowhere"], ["plot", "nowhere"], ["mesh", "nowhere"],
                          ["export", "nowhere", "--to", "usd"], ["export", "tank.toml"], ["export", "nowhere", "--to", "fbx"],
                          ["bench", "no_such_bench"]):
            with self.subTest(arguments=arguments):
                done = self.rivulet(*arguments, expect=2)
                self.assertTrue(done.stderr.strip(), "says nothing")

    def test_good_usage_is_exit_0(self):
        for arguments in (["--help"], ["--version"], ["run", "--help"], ["check", "tank.toml"], ["scenes"], ["scenes", "list"],
                          ["explain"], ["explain", "simulation.cell_size"], ["check", "tank.toml", "--estimate"],
                          ["bench", "--list"]):
            with self.subTest(arguments=arguments):
                self.assertTrue(self.rivulet(*arguments, expect=0).stdout.strip(), "says nothing")

    def test_a_wrong_scene_is_named_by_file_line_and_key(self):
        self.scene.write_text(self.scene.read_text().replace('cell_size = "3 cm"', 'cel_size = "3 cm"'))
        done = self.rivulet("check", "tank.toml", expect=2)
        self.assertRegex(done.stderr, r"tank\.toml:4:\d+: .*cel_size")
        self.assertIn("cell_size", done.stderr)

    def test_what_lies_outside_of_the_domain_is_placed_where_that_was_said(self):
        (self.folder / "far.toml").write_text('include = ["tank.toml"]\n[bodies.pool]\nposition = "0 0 2 km"\n')
        said = self.rivulet("check", "far.toml", expect=2).stderr
        self.assertIn("far.toml:3:12: bodies.pool.position: puts it outside of the domain", said)
        self.scene.write_text(self.scene.read_text().replace('"0 0 0 m", upper = "0.25 0.3 0.25 m"', '"7 7 7 m", upper = "8 8 8 m"'))
        self.assertIn("bodies.pool.shape: lies outside of the domain", self.rivulet("check", "tank.toml", expect=2).stderr)

    def test_help_names_every_command(self):
        said = self.rivulet("--help").stdout
        for command in ("run", "check", "scenes", "explain", "info", "render", "plot", "mesh", "export", "bench", "test", "demo"):
            self.assertRegex(said, rf"\n  {command} ")
        self.assertIn("./rivulet test", self.rivulet("test", "--quick", expect=2).stderr)

    def test_an_unknown_command_is_named(self):
        self.assertIn("'nosuch' is not a command", self.rivulet("nosuch", expect=2).stderr)

    def test_an_unknown_option_is_named_before_a_missing_argument(self):
        for command in ("run", "check", "render", "export"):
            said = self.rivulet(command, "--bogus", expect=2).stderr
            self.assertIn("--bogus", said)
            self.assertNotIn("is required", said)
        self.assertIn("SCENE is required", self.rivulet("run", "--resume", expect=2).stderr)

    def test_info_of_a_scene_says_what_it_is_not(self):
        self.assertIn("tank.toml: neither a run folder nor a frame or checkpoint",
                      self.rivulet("info", "tank.toml", expect=2).stderr)
        (self.folder / "other.h5").write_text("something else")
        self.assertIn("not a file of Rivulet", self.rivulet("info", "other.h5", expect=5).stderr)

    def test_tests_of_the_process_and_wrong_units_are_refused(self):
        self.scene.write_text(self.scene.read_text() + """
[test.quick]
quantity = "wall_s"
value = 0
tolerance = 1
[test.light]
quantity = "counts.particles"
value = "0 kg"
tolerance = 1
""")
        said = self.rivulet("check", "tank.toml", expect=2).stderr
        self.assertIn("test.quick.quantity: 'wall_s' is about the process", said)
        self.assertIn("test.light.value: \"0 kg\" is a mass; counts.particles has no unit", said)

    def test_a_mistyped_gallery_name_is_corrected(self):
        self.assertIn("dam_break", self.rivulet("run", "dam_brake", expect=2).stderr)

    def test_every_scene_of_the_gallery_is_listed_and_valid(self):
        names = [line.split()[0] for line in self.rivulet("scenes").stdout.splitlines()]
        self.assertEqual(names, [scene.stem for scene in gallery()])
        for name in names:
            self.assertNotIn("warning", self.rivulet("check", name).stdout)

    def test_liquid_inside_of_an_obstacle_is_warned_of(self):
        self.scene.write_text(self.scene.read_text() + """
[bodies.lost]
liquid = "water"
shape = { type = "sphere", centre = "0.45 0.15 0.1 m", radius = "4 cm" }
""")
        expected = "bodies.lost holds no liquid: it lies wholly inside of obstacles"
        self.assertIn("  warning    " + expected, self.rivulet("check", self.scene).stdout)
        self.assertIn("rivulet: warning: " + expected, self.run_scene("out", "--frames", "0").stderr)

    def test_copied_scene_is_there_once(self):
        name = gallery()[0].stem
        self.rivulet("scenes", "copy", name)
        self.assertTrue((self.folder / f"{name}.toml").exists())
        self.rivulet("scenes", "copy", name, expect=2)

    def test_every_bench_has_a_page(self):
        page = (ROOT / "docs/benchmarks.md").read_text()
        for line in self.rivulet("bench", "--list").stdout.splitlines():
            self.assertIn(f"`{line.split()[0]}`", page)

    def test_benches_print_the_contracted_members(self):
        line = json.loads(self.rivulet("bench", "hash", "--json").stdout)
        self.assertEqual(list(line), ["bench", "value", "unit", "reference", "ratio", "bar", "meets"])
        self.assertAlmostEqual(line["ratio"], line["reference"] / line["value"], places=9)


class Overwriting(CliTest):
    def test_an_earlier_run_is_kept_unless_forced(self):
        self.run_scene("out", "--frames", 1)
        before = (self.folder / "out/frames/000001.h5").read_bytes()
        done = self.run_scene("out", "--frames", 2, expect=2)
        self.assertIn("--force", done.stderr)
        self.assertEqual((self.folder / "out/frames/000001.h5").read_bytes(), before)
        self.assertFalse((self.folder / "out/frames/000002.h5").exists())
        self.run_scene("out", "--frames", 2, "--force")
        self.assertTrue((self.folder / "out/frames/000002.h5").exists())

    def test_force_does_not_delete_what_is_not_a_run(self):
        (self.folder / "home").mkdir()
        (self.folder / "home/letter.txt").write_text("dear")
        self.run_scene("home", "--force", expect=2)
        self.assertEqual((self.folder / "home/letter.txt").read_text(), "dear")

    def test_a_run_is_not_replaced_by_the_scene_that_it_keeps(self):
        (self.folder / "cube.obj").write_text(CUBE)
        self.scene.write_text(self.scene.read_text().replace(
            'shape = { type = "box", lower = "0.4 0.1 0 m", upper = "0.5 0.2 0.2 m" }',
            'shape = { type = "mesh", file = "cube.obj" }\nposition = "0.4 0.1 0.05 m"'))
        self.run_scene("out", "--frames", 1)
        everything = {p: p.read_bytes() for p in (self.folder / "out").rglob("*") if p.is_file()}
        for scene in ("out/scene.toml", "out/../out/scene.toml"):
            said = self.run_scene("out", "--frames", 1, "--force", scene=scene, expect=2).stderr
            self.assertIn("lies in the run folder out that would be replaced", said)
            self.assertIn("--out", said)
        self.assertEqual({p: p.read_bytes() for p in (self.folder / "out").rglob("*") if p.is_file()}, everything)
        (self.folder / "kept.toml").write_text((self.folder / "out/scene.toml").read_text().replace('"inputs/', '"out/inputs/'))
        said = self.run_scene("out", "--frames", 1, "--force", scene="kept.toml", expect=2).stderr
        self.assertIn("cube.obj: lies in the run folder", said)
        self.run_scene("again", "--frames", 1, scene="out/scene.toml")
        self.run_scene("out", "--frames", 1, "--force")


class Limits(CliTest):
    def test_too_little_memory_is_refused_at_once(self):
        done = self.run_scene("out", "--max-memory", "1MB", expect=2)
        self.assertIn("--max-memory", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_an_expectation_of_something_unknown_is_placed(self):
        lines = self.scene.read_text().count("\n")
        self.scene.write_text(self.scene.read_text() + '[test.volume]\nquantity = "ledger.bulkk"\nvalue = 1\ntolerance = 1\n')
        error = self.rivulet("check", self.scene, expect=2).stderr
        self.assertIn(f"{self.scene.name}:{lines + 2}:12: test.volume.quantity: 'ledger.bulkk'", error)

    def test_an_expectation_in_another_dimension_is_refused(self):
        lines = self.scene.read_text().count("\n")
        self.scene.write_text(self.scene.read_text() + '[test.v]\nquantity = "ledger.bulk"\nvalue = "2 kg"\ntolerance = "1 l"\n')
        self.assertIn(f'tank.toml:{lines + 3}:9: test.v.value: "2 kg" is a mass; ledger.bulk is in m3',
                      self.rivulet("check", self.scene, expect=2).stderr)

    def test_a_step_below_the_least_is_exit_4(self):
        done = self.run_scene("out", "--set", "simulation.min_step=9 ms", "--set", "simulation.cfl=0.01", expect=4)
        self.assertIn("below simulation.min_step", done.stderr)

    def test_liquid_that_has_nowhere_to_go_is_exit_4(self):
        self.scene.write_text("""
[simulation]
cell_size = "5 cm"
end_time = "9 s"
[domain]
lower = "0 0 0 m"
upper = "0.3 0.3 0.4 m"
[liquids.water]
[sources.tap]
liquid = "water"
shape = { type = "sphere", radius = "6 cm" }
position = "0.15 0.15 0.25 m"
velocity = "0 0 -1 m/s"
""")
        done = self.run_scene("out", expect=4)
        self.assertIn("sources.tap", done.stderr)
        self.assertIn("a closed space that is full", done.stderr)
        self.assertNotIn("again with dt", done.stderr)
        self.assertLess(self.report("out")["ledger"]["bulk"], 1.03 * 0.3 * 0.3 * 0.4)

    def test_a_run_folder_given_as_a_scene_gets_the_command_that_continues_it(self):
        self.run_scene("out", "--frames", "1")
        said = self.rivulet("run", "out", "--resume", expect=2).stderr
        self.assertIn("rivulet run out/scene.toml --resume --out out", said)
        self.rivulet("run", "out/scene.toml", "--resume", "--out", "out", "--frames", "2", expect=0)

    def test_only_files_include(self):
        self.assertIn("include", self.rivulet("check", self.scene, "--set", 'include=["a.toml"]', expect=2).stderr)

    def test_a_time_that_is_none_names_its_option(self):
        self.assertIn("--until: '1e400 s'", self.run_scene("out", "--until", "1e400 s", expect=2).stderr)

    def test_a_failed_simulation_is_exit_4_and_names_a_good_checkpoint(self):
        done = self.run_scene("out", "--set", "simulation.max_pressure_iterations=1", "--set",
                              "simulation.pressure_tolerance=1e-14", expect=4)
        checkpoint = done.stderr.split("last good checkpoint: ")[1].strip()
        self.assertIn("intact", self.rivulet("info", checkpoint).stdout)
        self.assertEqual(self.report("out")["exit"], 4)

    def test_expectations_are_judged_where_the_scene_ends_and_nowhere_else(self):
        self.scene.write_text(self.scene.read_text().replace('"0.4 s"', '"0.05 s"') +  # the first frame after it: 0.06 s
                              '[test.time]\nquantity = "sim_time_s"\nvalue = 0.06\ntolerance = 1e-9\n')
        self.assertIn("time: measured 0.06", self.run_scene("whole").stdout)
        for frames in (2, 4):
            said = self.run_scene(f"to{frames}", "--frames", frames).stdout
            self.assertIn(f"[test] is not judged: the run ended with frame {frames}, its scene does with 3", said)
        self.assertIn("is not judged", self.run_scene("to4", "--resume").stdout)
        self.assertIn("first frame at or after it", self.rivulet("explain", "simulation.end_time").stdout)

    def test_a_missed_expectation_is_exit_3_with_the_numbers(self):
        self.scene.write_text(self.scene.read_text() +
                              '[test.volume]\nquantity = "ledger.bulk"\nvalue = 0.02\ntolerance = 1e-6\n')
        done = self.run_scene("out", expect=3)
        for word in ("volume", "measured 0.018", "expected 0.02", "1e-06", "difference -0.00"):
            self.assertIn(word, done.stderr)
        self.assertEqual(self.report("out")["exit"], 3)

    def test_a_bad_size_of_memory_ends_json_lines_with_their_last_event(self):
        done = self.rivulet("run", self.scene, "--out", "x", "--max-memory", "banana", "--progress", "json", expect=2)
        self.assertIn('"event": "end"', done.stdout)
        self.assertIn("banana", done.stdout)


if __name__ == "__main__":
    unittest.main()
