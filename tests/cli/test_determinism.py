"""The same bits on any number of threads, at every repeat, and after a resume, for every scene of the gallery, and for
wet strands that penalties part, which no scene of it has. The `_full` variants include these and differ in size alone,
so they are left out."""
import concurrent.futures
import tomllib
import unittest

from support import FULL, ROOT, SCENE, CliTest, gallery

FRAMES = 24 if FULL else 10
THREADS = (1, 2, 3, 8)
REPEATS = 3
PENALTIES = ("--set", "simulation.strand_contact=penalty")


class Determinism(CliTest):
    def reduced(self, scene):
        """Arguments that make a gallery scene small: cells twice as large, where at least two of them still fit, and a
        quarter of the strands."""
        told = self.rivulet("check", scene).stdout
        cell = float(told.split("cells of ")[1].split()[0])
        thinnest = min(float(size) for size in told.split("domain")[1].split(" m,")[0].split(" x "))
        changes = [f"simulation.cell_size={2 * cell}"] if thinnest > 4 * cell else []
        for name, strands in tomllib.loads(scene.read_text()).get("strands", {}).items():
            if "count" in strands:
                changes.append(f"strands.{name}.count={max(1, strands['count'] // 4)}")
        return [word for change in changes for word in ("--set", change)]

    def in_two_parts(self, scene, size):
        out = f"{scene.stem}-parts{len(size)}"
        self.run_scene(out, "--frames", FRAMES // 2, "--threads", "2", *size, scene=scene)
        return self.state_hash(out, "--frames", FRAMES, "--resume", "--threads", "3", *size, scene=scene)

    def test_mouths_and_drains_thinner_than_a_cell_do_not_either(self):
        scene = self.folder / "openings.toml"
        scene.write_text(SCENE + """
[sources.tap]
liquid = "water"
shape = { type = "box", lower = "0.05 0.05 0 m", upper = "0.2 0.2 0.001 m" }
velocity = "0 0 0.5 m/s"
[drains.plug]
shape = { type = "cylinder", start = "0.5 0.2 0 m", end = "0.5 0.2 0.001 m", radius = "8 cm" }
[drains.shelf]
shape = { type = "box", lower = "0.25 0 0.2 m", upper = "0.6 0.3 0.201 m" }
""")
        hashes = [self.state_hash(f"openings-{threads}", "--frames", FRAMES, "--threads", threads, scene=scene)
                  for threads in THREADS]
        self.assertEqual(set([*hashes, self.in_two_parts(scene, [])]), {hashes[0]})
        self.assertGreater(self.report("openings-1")["ledger"]["drained"], 0)

    def test_threads_repeats_and_resume_do_not_change_a_bit(self):
        # Two runs at a time: those on one thread would leave a core idle, and a busy machine orders threads otherwise.
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            small = [(s, ()) for s in gallery() if not s.stem.endswith("_full")]
            for scene, law in [*small, (ROOT / "scenes/fur_mat.toml", PENALTIES)]:
                with self.subTest(scene=scene.stem, law=law):
                    size = [*self.reduced(scene), *law]
                    runs = [pool.submit(self.in_two_parts, scene, size)]
                    for threads in THREADS:
                        for repeat in range(REPEATS):
                            runs.append(pool.submit(self.state_hash, f"{scene.stem}-{threads}-{repeat}-{len(size)}", "--frames", FRAMES,
                                                    "--threads", threads, *size, scene=scene))
                    hashes = [run.result() for run in runs]
                    self.assertEqual(len(hashes), 1 + len(THREADS) * REPEATS)
                    self.assertEqual(len(set(hashes)), 1, hashes)


if __name__ == "__main__":
    unittest.main()
