"""The same bits on any number of threads, at every repeat, and after a resume, for every scene of the gallery."""
import unittest

from support import FULL, CliTest, gallery

FRAMES = "4" if FULL else "2"


class Determinism(CliTest):
    def coarse(self, scene):
        """Arguments that make a gallery scene small: cells twice as large."""
        text = self.rivulet("check", scene).stdout
        cell = float(text.split("cells of ")[1].split()[0])
        return ["--set", f"simulation.cell_size={2 * cell}"]

    def test_threads_repeats_and_resume_do_not_change_a_bit(self):
        for scene in gallery():
            with self.subTest(scene=scene.stem):
                size = self.coarse(scene)
                hashes = set()
                for threads in ("1", "2", "3", "8"):
                    for _ in range(3):
                        hashes.add(self.state_hash(scene.stem, "--frames", FRAMES, "--threads", threads, "--force", *size,
                                                   scene=scene))
                self.run_scene("parts", "--frames", "1", "--force", *size, scene=scene)
                hashes.add(self.state_hash("parts", "--frames", FRAMES, "--resume", "--threads", "3", *size, scene=scene))
                self.assertEqual(len(hashes), 1)


class Memory(CliTest):
    def test_the_estimate_is_within_a_quarter_of_the_measured_peak(self):
        for scene in gallery():
            with self.subTest(scene=scene.stem):
                interval = float(self.rivulet("check", scene).stdout.split("a frame every ")[1].split()[0])
                frames = [] if FULL else ["--frames", "8"]
                # What a source has not emitted yet needs no memory: the estimate is of as many frames.
                shorter = [] if FULL else ["--set", f"simulation.end_time={8 * interval}"]
                text = self.rivulet("check", scene, "--estimate", *shorter).stdout
                estimate = float(text.split("total")[1].split()[0])
                self.run_scene(scene.stem, "--threads", "2", "--checkpoint-every", "4", *frames, scene=scene)
                measured = self.report(scene.stem)["peak_rss_bytes"]
                self.assertLess(abs(estimate / measured - 1), 0.25, f"estimate {estimate:.4g}, measured {measured:.4g}")


if __name__ == "__main__":
    unittest.main()
