"""What the demo suggests and what it does to folders, without a whole demo, which takes a minute."""
import shlex
import signal
import subprocess
import tomllib
import unittest

from support import BIN, CliTest

DRAW_LITTLE = ["--width", "96", "--height", "54", "--samples", "1"]


class Suggestions(CliTest):
    def suggested(self):
        """The commands under "what to try next", as lists of words without the program."""
        lines = self.rivulet("demo", "--help").stdout.split("what to try next\n")[1].splitlines()
        commands = [shlex.split(line.split("  ")[1])[1:] for line in lines if line.startswith("  rivulet ")]
        self.assertEqual(len(commands), 5)
        return commands

    def test_each_works_and_a_run_begins_as_its_scene_expects(self):
        self.run_scene("rivulet-demo", "--frames", 12)  # stands in for the folder of a demo
        for command in self.suggested():
            with self.subTest(command=command):
                if command[0] == "run":
                    self.begins_as_expected(command)
                else:
                    self.rivulet(*command, *(DRAW_LITTLE if command[0] == "render" else []))

    def begins_as_expected(self, command):
        """The whole run takes minutes, and one that is cut short is not judged: what [test] says of the start is."""
        self.rivulet(*command, "--frames", 0, "--out", "begun")
        scene = tomllib.loads((self.folder / "begun/scene.toml").read_text())  # as it was run, without units
        start = {name: test for name, test in scene["test"].items() if name.startswith("starts_with_")}
        self.assertTrue(start)
        for name, test in start.items():
            value = self.report("begun")
            for part in test["quantity"].split("."):
                value = value[part]
            self.assertAlmostEqual(value, test["value"], delta=test["tolerance"], msg=name)


class Folders(CliTest):
    def content(self, folder):
        return {path: path.read_bytes() for path in (self.folder / folder).rglob("*") if path.is_file()}

    def refused(self, folder, *arguments):
        before = self.content(folder)
        said = self.rivulet("demo", "--out", folder, *arguments, expect=2).stderr
        self.assertEqual(self.content(folder), before)
        self.assertIn("choose another folder with --out", said)
        return said

    def test_a_run_that_is_no_demo_is_never_replaced(self):
        self.run_scene("mine", "--frames", 1)
        for arguments in ([], ["--force"]):
            self.assertIn("a run that is no demo", self.refused("mine", *arguments))
        (self.folder / "home").mkdir()
        (self.folder / "home/letter.txt").write_text("dear")
        self.assertIn("other things than a demo", self.refused("home", "--force"))

    def interrupted_demo(self, *arguments):
        """A demo that is ended after its first frame; what it said."""
        with subprocess.Popen([BIN, "demo", *arguments], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.readline()  # what it runs
            self.assertTrue(process.stdout.readline().startswith("frame 1/"))
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 130, said)
        return said

    def test_another_demo_goes_to_the_next_free_folder_or_replaces_by_force(self):
        self.run_scene("rivulet-demo", "--frames", 1)
        before = self.content("rivulet-demo")
        said = self.interrupted_demo()
        self.assertIn("rivulet-demo holds something else: this demo goes to rivulet-demo-2", said)
        self.assertEqual(self.content("rivulet-demo"), before)
        self.assertIn("an earlier demo; replace it with --force", self.refused("rivulet-demo-2"))
        (self.folder / "rivulet-demo-2/frames/000099.h5").write_text("of the earlier one")
        (self.folder / "rivulet-demo-2/.rivulet-demo").rename(self.folder / "kept")
        self.assertIn("a run that is no demo", self.refused("rivulet-demo-2", "--force"))
        (self.folder / "kept").rename(self.folder / "rivulet-demo-2/.rivulet-demo")
        self.interrupted_demo("--out", "rivulet-demo-2", "--force")
        self.assertFalse((self.folder / "rivulet-demo-2/frames/000099.h5").exists())

    def test_a_run_in_the_place_of_a_demo_is_no_demo(self):
        self.run_scene("out", "--frames", 1)
        (self.folder / "out/.rivulet-demo").write_text("")
        self.run_scene("out", "--frames", 1, "--force")
        self.assertIn("a run that is no demo", self.refused("out", "--force"))


if __name__ == "__main__":
    unittest.main()
