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


if __name__ == "__main__":
    unittest.main()
