"""Every gallery scene runs to its end and meets the numbers that it states itself. The `_full` variants, which include
the same numbers, take too long for a test. The memory that `check --estimate` told is within a quarter of the peak."""
import unittest

from support import CliTest, gallery


class Gallery(CliTest):
    def test_every_scene_meets_its_expectations(self):
        for scene in gallery():
            if scene.stem.endswith("_full"):
                continue
            with self.subTest(scene=scene.stem):
                done = self.run_scene(scene.stem, scene=scene)
                self.assertIn("ledger_closes: ", done.stdout)
                self.assertNotIn(": missed", done.stdout)
                text = self.rivulet("check", scene, "--estimate").stdout
                estimate, measured = float(text.split("total")[1].split()[0]), self.report(scene.stem)["peak_rss_bytes"]
                self.assertLess(abs(estimate / measured - 1), 0.25, f"estimate {estimate:.4g}, measured {measured:.4g}")

    def test_a_copied_scene_brings_what_it_includes(self):
        self.rivulet("scenes", "copy", "dam_break_full")
        self.assertTrue((self.folder / "dam_break.toml").exists())
        self.rivulet("check", "dam_break_full.toml")
        self.rivulet("scenes", "copy", "dam_break", expect=2)  # is there already


if __name__ == "__main__":
    unittest.main()
