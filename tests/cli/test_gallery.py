"""Every gallery scene runs to its end and meets the numbers that it states itself. The `_full` variants, which include
the same numbers, take too long for a test. The memory that `check --estimate` told is within a quarter of the peak."""
import re
import shlex
import unittest

from support import ROOT, CliTest, gallery


def commands_under_pictures(name):
    """The commands that README.md shows for a scene, as lists of words without the program."""
    found = re.findall(rf"`rivulet ((?:run|render) {name} [^`]*)`", (ROOT / "README.md").read_text())
    return [shlex.split(command) for command in found]


class Gallery(CliTest):
    def test_every_scene_meets_its_expectations_by_the_commands_of_the_readme(self):
        for scene in gallery():
            if scene.stem.endswith("_full"):
                continue
            with self.subTest(scene=scene.stem):
                run, render = commands_under_pictures(scene.stem)
                self.assertEqual(run, ["run", scene.stem, "--out", scene.stem])
                done = self.rivulet(*run)
                self.assertIn("ledger_closes: ", done.stdout)
                self.assertNotIn(": missed", done.stdout)
                text = self.rivulet("check", scene, "--estimate").stdout
                estimate, measured = float(text.split("total")[1].split()[0]), self.report(scene.stem)["peak_rss_bytes"]
                self.assertLess(abs(estimate / measured - 1), 0.25, f"estimate {estimate:.4g}, measured {measured:.4g}")
                print(f"{scene.stem}: estimate / measured peak {estimate / measured:.3f}", flush=True)
                self.rivulet(*render, "--width", "96", "--height", "54", "--samples", "1")  # as shown, but small
                self.assertEqual(len(list((self.folder / scene.stem / "preview").glob("*.png"))), 1)

    def test_every_command_of_the_readme_is_one_of_these_or_in_a_tested_block(self):
        text = re.sub(r"^```sh\n.*?^```", "", (ROOT / "README.md").read_text(), flags=re.M | re.S)
        names = [scene.stem for scene in gallery()]
        shown = [command for name in names for command in commands_under_pictures(name)]
        others = {"scenes"}  # test_usage.py
        for command in re.findall(r"`rivulet ([^`]+)`", text):
            self.assertTrue(shlex.split(command) in shown or command in others, command)

    def test_a_copied_scene_brings_what_it_includes(self):
        self.rivulet("scenes", "copy", "dam_break_full")
        self.assertTrue((self.folder / "dam_break.toml").exists())
        self.rivulet("check", "dam_break_full.toml")
        self.rivulet("scenes", "copy", "dam_break", expect=2)  # is there already


if __name__ == "__main__":
    unittest.main()
