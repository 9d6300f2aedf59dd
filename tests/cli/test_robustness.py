"""Wet scenes made at random run to their end: no step fails, nothing is lost, no number is not one. Four short ones by
default; with RIVULET_FULL=1 twenty of two simulated seconds, which take a quarter of an hour or more."""
import csv
import unittest

from random_scenes import random_scene
from support import FULL, CliTest

NUMBERS = range(20) if FULL else (1, 2, 4, 15)
END = 2 if FULL else 0.1  # [s]


class Robustness(CliTest):
    def test_random_wet_scenes_run_without_a_failed_step_and_lose_nothing(self):
        for number in NUMBERS:
            with self.subTest(scene=number):
                scene = self.folder / f"wet_{number}.toml"
                scene.write_text(random_scene(number, END))
                out = scene.stem
                self.rivulet("run", scene, "--out", out, "--progress", "none", timeout=3600)  # a NaN ends it with 4
                retries = sum(self.column(out, "steps.csv", "retries"))
                error = max(self.column(out, "ledger.csv", "relative_error"))
                print(f"{scene.stem}: ledger error {error:.1e}, {retries:.0f} steps repeated", flush=True)
                self.assertGreater(self.report(out)["sim_time_s"], END - 1e-9)
                self.assertLessEqual(error, 1e-12)
                self.assertEqual(retries, 0)

    def column(self, out, table, name):
        with open(self.folder / out / table) as rows:
            return [float(row[name]) for row in csv.DictReader(rows)]

    def test_the_same_number_makes_the_same_scene(self):
        self.assertEqual(random_scene(7), random_scene(7))
        self.assertNotEqual(random_scene(7), random_scene(8))
        for number in range(20):
            self.scene.write_text(random_scene(number))
            self.rivulet("check", self.scene)


if __name__ == "__main__":
    unittest.main()
