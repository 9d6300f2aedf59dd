"""The validation cases at their small sizes reach their bounds; docs/validation.md shows every case."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "validation"))
from harness import Figure, at_most  # noqa: E402


class Validation(unittest.TestCase):
    def test_a_figure_passes_within_its_bound_alone(self):
        self.assertTrue(Figure("g", 9.9, 9.81, 0.01, "").passed)
        self.assertFalse(Figure("g", 9.7, 9.81, 0.01, "").passed)
        self.assertTrue(Figure("fall", -0.68, -0.67, 0.02, "").passed)
        self.assertFalse(at_most("speed", 2e-6, 1e-6, "").passed)
        self.assertFalse(at_most("speed", float("nan"), 1e-6, "").passed)

    def test_small_sizes_reach_their_bounds(self):
        with tempfile.TemporaryDirectory(prefix="rivulet-validation-") as folder:
            done = subprocess.run(["/usr/bin/python3", ROOT / "tools/validate.py", "--no-page", "--out", folder], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreaterEqual(done.stdout.count(": reached"), 15, done.stdout)

    def test_the_page_has_a_section_and_a_plot_of_every_case(self):
        page = (ROOT / "docs/validation.md").read_text()
        for case in sorted((ROOT / "validation").glob("*/case.py")):
            title = next(line for line in case.read_text().splitlines() if line.startswith("TITLE = "))[9:-1]
            with self.subTest(case.parent.name):
                self.assertIn(f"## {title}\n", page)
                self.assertIn(f"images/validation/{case.parent.name}-", page)
        for image in (ROOT / "docs/images/validation").glob("*.svg"):
            self.assertIn(image.name, page)


if __name__ == "__main__":
    unittest.main()
