"""Runs that are killed, interrupted or damaged, and what --resume makes of them."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import BIN, FULL, ROOT, CliTest

TABLES = ("ledger.csv", "probes.csv", "steps.csv", "energy.csv")


class Resume(CliTest):
    def start(self, *arguments):
        return subprocess.Popen([BIN, "run", str(self.scene), "--progress", "plain", "--checkpoint-every", "1",
                                 *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def assert_same_tables(self, a, b):
        for name in TABLES:
            self.assertEqual((self.folder / a / name).read_text(), (self.folder / b / name).read_text(), name)

    def test_killed_at_random_moments_and_resumed_gives_the_same_bits(self):
        self.assertGreater(self.kill_at_random_moments(100 if FULL else 10), 5)

    def test_wet_strands_killed_at_random_moments_and_resumed_give_the_same_bits(self):
        self.scene = ROOT / "scenes/fur_mat.toml"  # contacts, bridges, films, drops
        self.assertGreater(self.kill_at_random_moments(10 if FULL else 2), 0)

    def test_wet_strands_that_penalties_part_too(self):
        self.scene = ROOT / "scenes/fur_mat.toml"
        self.assertGreater(self.kill_at_random_moments(5 if FULL else 1, "--frames", "3", "--set",
                                                       "simulation.strand_contact=penalty"), 0)

    def kill_at_random_moments(self, repeats, *settings):
        """Runs the scene that often, killing it until it gets through, later each time, since the last frame alone may take most
        of a run; how many kills there were."""
        begin = time.monotonic()
        expected = self.state_hash("whole", "--checkpoint-every", "1", *settings)
        duration = time.monotonic() - begin
        chance = random.Random(20240501)
        kills = 0
        for repeat in range(repeats):
            out = f"killed{repeat}"
            patience = 0.7 * duration
            while True:
                process = self.start("--out", out, "--resume", *settings)
                try:
                    process.communicate(timeout=chance.uniform(0, patience))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    kills += 1
                    patience *= 1.1
                    continue
                self.assertEqual(process.returncode, 0)
                break
            self.assertEqual(self.report(out)["state_hash"], expected)
            self.assert_same_tables(out, "whole")
            leftover = [p.name for p in (self.folder / out).rglob("*.tmp-*")]
            self.assertEqual(leftover, [])
        return kills

    def test_a_resumed_run_that_is_killed_is_not_finished(self):
        self.run_scene("part", "--frames", "1")
        process = self.start("--out", "part", "--resume")
        process.stdout.readline()  # resuming, or the next frame
        process.stdout.readline()
        process.kill()
        process.communicate()
        self.assertIn("not finished", self.rivulet("info", "part").stdout)

    def test_signals_write_a_checkpoint_and_print_the_resume_command(self):
        expected = self.state_hash("whole")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            out = f"stopped{int(number)}"
            process = self.start("--out", out, "--max-memory", "64 GB")
            process.stdout.readline()  # the first frame is done
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, errors)
            command = errors.split("resume with: rivulet ")[1].split("\n")[0]
            self.assertIn("--max-memory '64 GB'", command)
            self.assertTrue(list((self.folder / out / "checkpoints").glob("*.h5")))
            self.assertEqual(self.report(out)["exit"], 130)
            subprocess.run(f"{BIN} {command}", shell=True, cwd=self.folder, check=True, capture_output=True)
            self.assertEqual(self.report(out)["state_hash"], expected)
            self.assert_same_tables(out, "whole")

    def test_a_signal_while_the_scene_is_read_is_exit_130_and_leaves_nothing(self):
        self.scene.write_text(self.scene.read_text() + """
[strands.fur]
kind = "groom"
obstacle = "post"
count = 40000
length = "4 cm"
vertices = 20
""")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen([BIN, "run", str(self.scene), "--out", "out", "--progress", "json"], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            status = pathlib.Path(f"/proc/{process.pid}/status")
            while process.poll() is None and not self.catches(status.read_text(), number):
                time.sleep(0.001)
            process.send_signal(number)
            said, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 130, errors)
            self.assertIn("ending when the scene has been read", errors)
            self.assertIn("interrupted before the run began: nothing was written", errors)
            self.assertEqual(json.loads(said)["exit"], 130)  # one line
            self.assertFalse((self.folder / "out").exists())

    @staticmethod
    def catches(status, number):
        """Whether a process has a handler for the signal, by the text of /proc/PID/status."""
        found = re.search(r"^SigCgt:\s*(\w+)", status, re.M)
        return bool(found) and int(found.group(1), 16) >> (number - 1) & 1 == 1

    def test_a_signal_after_the_report_changes_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            out = f"done{int(number)}"
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            filling = 0
            while True:  # a reader that does not read: the program waits with its last words
                try:
                    filling += os.write(writing, b"x" * 1024)
                except BlockingIOError:
                    break
            os.set_blocking(writing, True)
            process = subprocess.Popen([BIN, "run", str(self.scene), "--out", out, "--frames", "1", "--progress", "none"],
                                       cwd=self.folder, stdout=writing, stderr=subprocess.PIPE, text=True)
            os.close(writing)
            while process.poll() is None and not (self.folder / out / "report.json").exists():
                time.sleep(0.005)
            time.sleep(0.2)
            process.send_signal(number)
            time.sleep(0.1)
            with open(reading, "rb") as pipe:
                said = pipe.read()[filling:]
            self.assertEqual((process.wait(timeout=60), process.stderr.read()), (0, ""))
            process.stderr.close()
            self.assertIn(b"state hash", said)
            self.assertEqual(self.report(out)["exit"], 0)

    def test_a_run_in_its_first_long_step_can_be_ended_and_has_a_log(self):
        # Water that stands still in small cells: one step of several seconds.
        self.scene.write_text("""
[simulation]
cell_size = "5 mm"
end_time = "1 s"
frame_rate = "1 Hz"
max_step = "1 s"
[domain]
lower = "0 0 0 m"
upper = "0.4 0.4 0.4 m"
[liquids.water]
[bodies.pool]
liquid = "water"
shape = { type = "box", lower = "0 0 0 m", upper = "0.4 0.4 0.3 m" }
""")
        process = self.start("--out", "out", "--threads", "1")
        log = self.folder / "out/log.txt"
        while process.poll() is None and not (log.exists() and "begins with" in log.read_text()):
            time.sleep(0.01)
        self.assertIn("on 1 threads", log.read_text())
        time.sleep(0.1)  # into the step
        process.send_signal(signal.SIGTERM)
        self.assertIn("ending after the current step", process.stderr.readline())
        time.sleep(0.55)  # sooner, it would be the same request
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("ended at once", errors)
        self.assertIn("out/checkpoints/000000.h5", errors)
        self.assertIn("intact", self.rivulet("info", "out/checkpoints/000000.h5").stdout)

    def test_a_run_under_nohup_outlives_its_terminal(self):
        begin = subprocess.Popen(["nohup", BIN, "run", str(self.scene), "--out", "out", "--progress", "plain"], cwd=self.folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        begin.stdout.readline()
        begin.send_signal(signal.SIGHUP)
        _, errors = begin.communicate(timeout=120)
        self.assertEqual(begin.returncode, 0, errors)

    def test_a_truncated_checkpoint_gives_way_to_the_one_before(self):
        expected = self.state_hash("out", "--checkpoint-every", "5")
        checkpoints = sorted((self.folder / "out/checkpoints").glob("*.h5"))
        self.assertEqual(len(checkpoints), 2)
        os.truncate(checkpoints[1], 4000)
        done = self.run_scene("out", "--resume")
        self.assertIn("truncated", done.stderr)
        self.assertIn(checkpoints[1].name, done.stderr)
        self.assertEqual(self.report("out")["state_hash"], expected)

    def test_frames_that_are_gone_or_cut_are_warned_of(self):
        self.run_scene("out", "--frames", "4")
        frame = self.folder / "out/frames"
        (frame / "000001.h5").unlink()
        os.truncate(frame / "000003.h5", 4000)
        said = self.run_scene("out", "--frames", "5", "--resume").stderr
        self.assertIn("warning: frame 1 is missing and not computed again: out/frames/000001.h5", said)
        self.assertIn("warning: frame 3 is truncated and not computed again: out/frames/000003.h5", said)
        self.assertEqual(said.count("warning"), 2)

    def test_no_good_checkpoint_is_exit_5_with_every_reason(self):
        self.run_scene("out", "--checkpoint-every", "5")
        for path in (self.folder / "out/checkpoints").glob("*.h5"):
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 4
            path.write_bytes(content)
        done = self.run_scene("out", "--resume", expect=5)
        self.assertEqual(done.stderr.count("altered"), 3)  # one while trying, both in the summary

    def test_a_changed_scene_is_refused_with_the_difference(self):
        self.run_scene("out", "--frames", "2")
        done = self.run_scene("out", "--resume", "--set", "simulation.cell_size=0.025", expect=2)
        self.assertIn("simulation.cell_size", done.stderr)
        self.assertIn("0.025", done.stderr)

    def test_the_resolved_scene_of_a_run_is_the_same_scene(self):
        expected = self.state_hash("out", "--frames", "3")
        again = self.state_hash("again", "--frames", "3", scene="out/scene.toml")
        self.assertEqual(again, expected)

    def test_a_resume_that_cannot_go_on_leaves_the_run_as_it_was(self):
        self.run_scene("out", "--frames", "2")
        report = (self.folder / "out/report.json").read_text()
        (self.folder / "out/ledger.csv").unlink()
        before = sorted(p.name for p in (self.folder / "out").rglob("*"))
        said = self.run_scene("out", "--frames", "2", "--resume", expect=5).stderr
        self.assertIn("ledger.csv: it is not there", said)
        self.assertIn("--force", said)
        self.assertEqual((self.folder / "out/report.json").read_text(), report)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").rglob("*")), before)

    def test_a_copy_without_hidden_files_is_a_run(self):
        expected = self.state_hash("whole", "--frames", "4")
        self.run_scene("out", "--frames", "2")
        shutil.copytree(self.folder / "out", self.folder / "copy", ignore=shutil.ignore_patterns(".*"))
        self.assertEqual(self.rivulet("info", "copy").stdout.replace("copy", "out"), self.rivulet("info", "out").stdout)
        self.rivulet("render", "copy", "--frame", "2", "--width", "32", "--height", "32", "--samples", "1")
        self.rivulet("plot", "copy")
        self.rivulet("export", "copy", "--to", "ply")
        self.rivulet("mesh", "copy", "--frame", "2")
        said = self.run_scene("copy", "--frames", "4", expect=2).stderr
        self.assertIn("holds an earlier run; continue it with --resume", said)
        self.assertEqual(self.state_hash("copy", "--frames", "4", "--resume"), expected)

    def test_resuming_a_finished_run_changes_nothing(self):
        expected = self.state_hash("out")
        self.assertEqual(self.state_hash("out", "--resume"), expected)


if __name__ == "__main__":
    unittest.main()
