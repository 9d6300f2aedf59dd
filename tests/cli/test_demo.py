"""What the demo suggests and what it does to folders, without a whole demo, which takes a minute."""
import shlex
import tomllib
import unittest

from support import ROOT, CliTest

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
        scene = tomllib.loads((ROOT / "scenes" / f"{command[1]}.toml").read_text())
        start = {name: test for name, test in scene["test"].items() if name.startswith("starts_with_")}
        self.assertTrue(start)
        for name, test in start.items():
            value = self.report("begun")
            for part in test["quantity"].split("."):
                value = value[part]
            self.assertAlmostEqual(value, test["value"], delta=test["tolerance"], msg=name)


if __name__ == "__main__":
    unittest.main()
