"""Wet scenes made at random run to their end: no step fails, nothing is lost, no number is not one. Three short ones by
default; with RIVULET_FULL=1 twenty of two simulated seconds, which take a quarter of an hour or more."""
import csv
import unittest

from random_scenes import random_scene
from support import FULL, CliTest

NUMBERS = range(20) if FULL else (2, 4, 15)
END = 2 if FULL else 0.1  # [s]


class Robustness(CliTest):
    def test_random_wet_scenes_run_without_a_failed_step_and_lose_nothing(self):
        for number in NUMBERS:
            with self.subTest(scene=number):
                scene = self.folder / f"wet_{number}.toml"
                scene.write_text(random_scene(number, END))
                out = scene.stem
                self.rivulet("run", scene, "--out", out, "--progress", "none", timeout=3600)  # a NaN ends it with 4
                report = self.report(out)
                with open(self.folder / out / "steps.csv") as steps:
                    retries = sum(int(row["retries"]) for row in csv.DictReader(steps))
                self.assertGreater(report["sim_time_s"], END - 1e-9)
                self.assertEqual(retries, 0)
                self.assertLessEqual(report["ledger"]["relative_error"], 1e-12)

    def test_the_same_number_makes_the_same_scene(self):
        self.assertEqual(random_scene(7), random_scene(7))
        self.assertNotEqual(random_scene(7), random_scene(8))
        for number in range(20):
            self.scene.write_text(random_scene(number))
            self.rivulet("check", self.scene)


if __name__ == "__main__":
    unittest.main()
