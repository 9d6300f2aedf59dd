"""The validation cases at their small sizes reach their bounds, but for misses with a stated reason; docs/validation.md shows
every case."""
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "validation"), str(ROOT / "tools")]
import validate  # noqa: E402
from harness import Figure, at_least, at_most  # noqa: E402


class Validation(unittest.TestCase):
    def test_a_figure_passes_within_its_bound_alone(self):
        self.assertTrue(Figure("g", 9.9, 9.81, 0.01, "").passed)
        self.assertFalse(Figure("g", 9.7, 9.81, 0.01, "").passed)
        self.assertTrue(Figure("fall", -0.68, -0.67, 0.02, "").passed)
        self.assertFalse(at_most("speed", 2e-6, 1e-6, "").passed)
        self.assertFalse(at_most("speed", float("nan"), 1e-6, "").passed)
        self.assertTrue(at_least("trail", 0.024, 0.01, "").passed)
        self.assertTrue(at_least("seeds", 4, 4, "").passed)
        self.assertFalse(at_least("trail", 0.0099, 0.01, "").passed)
        self.assertFalse(at_least("trail", float("nan"), 0.01, "").passed)
        self.assertTrue(validate.row("small", at_least("trail", 0.024, 0.01, "a law", unit="m"))
                        .endswith("| 0.024 m | 0.01 m | a law | +1.4e+02 % | at least | reached |"))

    def test_small_sizes_reach_their_bounds_and_are_on_the_page(self):
        with tempfile.TemporaryDirectory(prefix="rivulet-validation-") as folder:
            done = subprocess.run(["/usr/bin/python3", ROOT / "tools/validate.py", "--no-page", "--out", folder], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ)
            print(done.stdout)
            with self.subTest("bounds"):
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertGreaterEqual(done.stdout.count(": reached"), 15, done.stdout)
            with self.subTest("page"):
                page = (ROOT / "docs/validation.md").read_text()
                differences = validate.page_differences(page, validate.CASES, pathlib.Path(folder))
                self.assertEqual(differences, [], "docs/validation.md is out of date: regenerate with tools/validate.py")

    def test_a_page_that_is_out_of_date_is_noticed(self):
        with tempfile.TemporaryDirectory(prefix="rivulet-validation-") as folder:
            out = pathlib.Path(folder)

            def differences(page, *figures):
                result = {"commands": ["rivulet run it"], "figures": [dataclasses.asdict(f) for f in figures]}
                (out / "hydrostatic-small.json").write_text(json.dumps(result))
                return validate.page_differences(page, ["hydrostatic"], out)

            (out / "images").mkdir()
            (out / "images/hydrostatic-small.svg").write_text("")
            lift, speed = Figure("lift", 3.21, 3.27, 0.02, "a law", "N"), at_most("speed", 2e-7, 1e-6, "rest")
            differences("", lift, speed)
            page = "2 of 2 figures are within their bounds.\n\n" + "\n".join(validate.section("hydrostatic", out))
            self.assertEqual(differences(page, lift, speed), [])
            same_but_for_the_compiler = dataclasses.replace(lift, measured=3.21 + 0.2 * 0.02 * 3.27)
            self.assertEqual(differences(page, same_but_for_the_compiler, speed), [])
            for changed in (dataclasses.replace(lift, measured=3.21 + 0.3 * 0.02 * 3.27), dataclasses.replace(lift, measured=3.2),
                            dataclasses.replace(lift, bound=0.03), dataclasses.replace(lift, expected=3.26)):
                (line,) = differences(page, changed, speed)
                self.assertIn("a run now gives | small | lift | ", line)
            self.assertEqual(differences(page, speed), ["hydrostatic: lift: on the page alone"])
            self.assertEqual(differences(page, lift, speed, at_most("force", 0, 1, "symmetry")), ["hydrostatic: force: not on the page"])
            self.assertEqual(differences(page.replace("2 of 2", "1 of 2"), lift, speed),
                             ["the page does not say: 2 of 2 figures are within their bounds."])
            self.assertEqual(differences(page.replace("Archimedes", "Plato"), lift, speed)[0][:28], "hydrostatic: not on the page")

    def test_one_case_alone_leaves_the_page_and_its_plots(self):
        with tempfile.TemporaryDirectory(prefix="rivulet-validation-") as folder:
            root = pathlib.Path(folder)
            plots = root / "docs/images/validation"
            plots.mkdir(parents=True)
            (plots / "slosh-small.svg").write_text("")
            (root / "docs/validation.md").write_text("all")

            def run_case(name, full, binary, out, keep):
                (out / f"{name}-small.json").write_text(json.dumps({"commands": [], "figures": []}))
                return []

            with unittest.mock.patch.multiple(validate, ROOT=root, run_case=run_case), \
                    unittest.mock.patch.object(sys, "argv", ["validate.py", "--case", "cantilever", "--out", str(root / "out")]):
                self.assertEqual(validate.main(), 0)
            self.assertEqual((root / "docs/validation.md").read_text(), "all")
            self.assertTrue((plots / "slosh-small.svg").exists())

    def test_kept_figures_of_a_full_size_belong_on_the_page_with_their_commit(self):
        with tempfile.TemporaryDirectory(prefix="rivulet-validation-") as folder:
            out, kept = pathlib.Path(folder), pathlib.Path(folder) / "kept.json"
            result = {"commands": ["rivulet run it"], "figures": [dataclasses.asdict(at_most("speed", 2e-7, 1e-6, "rest"))]}
            (out / "hydrostatic-small.json").write_text(json.dumps(result))
            (out / "images").mkdir()
            (out / "images/hydrostatic-small.svg").write_text("")
            kept.write_text(json.dumps({"commit": "1234567", **result}))
            with unittest.mock.patch.object(validate, "kept_path", lambda name: kept):
                section = validate.section("hydrostatic", out)
                self.assertIn("The full size was run with commit 1234567.", section)
                row = next(line for line in section if line.startswith("| full | speed | 2e-07"))
                page = "2 of 2 figures are within their bounds.\n\n" + "\n".join(section)
                self.assertEqual(validate.page_differences(page, ["hydrostatic"], out), [])
                without = page.replace(row, row.replace("2e-07", "3e-07"))
                self.assertEqual(validate.page_differences(without, ["hydrostatic"], out), [f"hydrostatic: not on the page: {row}"])

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
