"""A disk that is full or fails at any write: exit 5 with the path, and the last good checkpoint intact."""
import json
import os
import re
import resource
import subprocess
import unittest

from support import BIN, FULL, CliTest


class FullDisk(CliTest):
    def test_no_limit_of_file_size_damages_a_checkpoint(self):
        expected = self.state_hash("whole", "--frames", "6", "--checkpoint-every", "2")
        largest = max(p.stat().st_size for p in (self.folder / "whole").rglob("*") if p.is_file())
        n = 40 if FULL else 12
        failed = 0
        for i in range(n):
            limit = int(largest * (i + 0.5) / n)
            out = f"limited{i}"
            done = self.run_limited(out, limit)
            if done.returncode == 0:
                continue
            failed += 1
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertRegex(done.stderr, rf"{out}/[\w./]+: File too large")
            for checkpoint in (self.folder / out).glob("checkpoints/*.h5"):
                self.rivulet("info", checkpoint)
            self.assertEqual(self.state_hash(out, "--frames", "6", "--checkpoint-every", "2", "--resume"), expected)
        self.assertGreater(failed, n // 2)

    def test_a_run_that_grows_into_the_limit_keeps_its_last_checkpoint(self):
        self.run_scene("out", "--frames", "4", "--checkpoint-every", "2")
        frame = (self.folder / "out/frames/000001.h5").stat().st_size
        done = self.run_limited("out", frame + 1000, "--resume", frames=8)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertTrue(re.search(r"checkpoints/\d+\.h5: File too large", done.stderr), done.stderr)
        kept = sorted((self.folder / "out/checkpoints").glob("*.h5"))
        self.assertEqual(len(kept), 2)
        for checkpoint in kept:
            self.assertIn("intact", self.rivulet("info", checkpoint).stdout)

    def test_an_unwritable_place_is_named(self):
        (self.folder / "file").write_text("")
        done = self.run_scene("file/out", expect=5)
        self.assertIn("file/out", done.stderr)

    def test_progress_as_json_ends_once_with_the_reason(self):
        self.run_scene("whole", "--frames", "1")
        frame = (self.folder / "whole/frames/000001.h5").stat().st_size
        done = self.run_limited("out", frame // 2, progress="json")
        self.assertEqual(done.returncode, 5, done.stderr)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([e["event"] for e in events].count("end"), 1)
        self.assertEqual((events[-1]["event"], events[-1]["exit"]), ("end", 5))
        self.assertIn("File too large", events[-1]["failure"])
        whole = self.rivulet("run", self.scene, "--out", "good", "--frames", "1", "--progress", "json").stdout.splitlines()
        self.assertEqual(list(events[-1]), list(json.loads(whole[-1])))

    def run_limited(self, out, limit, *arguments, frames=6, progress="none"):
        return subprocess.run([BIN, "run", self.scene, "--out", out, "--frames", str(frames), "--checkpoint-every", "2",
                               "--progress", progress, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))


class StandardOutput(CliTest):
    def shell(self, command):
        """Exit code of the program `rivulet` at the head of a pipe, and what it said on standard error."""
        done = subprocess.run(["bash", "-c", command + '; exit "${PIPESTATUS[0]}"'], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, env={**os.environ, "BIN": BIN})
        return done.returncode, done.stderr

    def test_a_reader_that_has_gone_changes_nothing_of_a_run(self):
        for kind in ("plain", "json"):
            code, said = self.shell(f'"$BIN" run tank.toml --out {kind} --frames 4 --progress {kind} | head -1')
            self.assertEqual((code, said), (0, ""))
            self.assertEqual(self.report(kind)["frames"], 4)
        self.scene.write_text(self.scene.read_text() + '[test.no]\nquantity = "sim_time_s"\nvalue = 9\ntolerance = 1\n')
        self.assertEqual(self.shell('"$BIN" run tank.toml --out missed | head -1')[0], 3)

    def test_a_reader_that_has_gone_is_no_error_of_other_commands(self):
        for arguments in ("explain", "scenes", "explain --format markdown", "check tank.toml"):
            self.assertEqual(self.shell(f'{{ sleep 0.2; exec "$BIN" {arguments}; }} | true'), (0, ""), arguments)

    def test_a_full_device_is_exit_5_of_every_command(self):
        self.run_scene("out", "--frames", 1)
        for arguments in ("--help", "--version", "run --help", "explain", "explain --format markdown", "scenes", "check tank.toml", "info out",
                          "run tank.toml --out other --frames 1"):
            code, said = self.shell(f'"$BIN" {arguments} >/dev/full')
            self.assertEqual(code, 5, arguments)
            self.assertIn("cannot write to standard output", said)


if __name__ == "__main__":
    unittest.main()
