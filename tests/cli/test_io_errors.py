"""A disk that is full or fails at any write: exit 5 with the path, and the last good checkpoint intact."""
import json
import os
import re
import resource
import subprocess
import unittest

from support import BIN, FULL, CliTest


# Preloaded: of all writes to files and all syncs of a process, call number $FAILING_CALL fails.
FAILING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static int fails(int fd, int error)
{
    static int calls;
    struct stat status;
    if (fstat(fd, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return 0;
    if (__sync_add_and_fetch(&calls, 1) != atoi(getenv("FAILING_CALL"))) return 0;
    errno = error;
    return 1;
}
ssize_t write(int fd, const void* data, size_t size)
{
    static ssize_t (*real)(int, const void*, size_t);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "write");
    return fails(fd, ENOSPC) ? -1 : real(fd, data, size);
}
int fsync(int fd)
{
    static int (*real)(int);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "fsync");
    return fails(fd, EIO) ? -1 : real(fd);
}
"""


class FullDisk(CliTest):
    def test_no_limit_of_file_size_damages_a_checkpoint(self):
        expected = self.state_hash("whole", "--frames", "6", "--checkpoint-every", "2")
        files = [p for p in (self.folder / "whole").rglob("*") if p.is_file()]
        sizes = {p.name: p.stat().st_size for p in files if p.suffix != ".h5"}
        self.assertLessEqual({"log.txt", "scene.toml", "report.json", "ledger.csv", "probes.csv", "steps.csv", "energy.csv"}, set(sizes))
        largest = max(p.stat().st_size for p in files)
        n = 40 if FULL else 8
        # A byte less than each small file takes, and a grid over the large ones; with 1 nothing at all can be written, with
        # 50 not the first line of the log.
        limits = [1, 50] + sorted(size - 1 for size in sizes.values()) + [int(largest * (i + 0.5) / n) for i in range(n)]
        named = set()
        for limit in limits:
            out = f"limited{limit}"
            with self.subTest(limit=limit):
                done = self.run_limited(out, limit)
                self.assertEqual(done.returncode, 5, done.stderr)
                named.add(re.search(rf"{out}/([\w./-]+): File too large", done.stderr).group(1))
                for checkpoint in (self.folder / out).glob("checkpoints/*.h5"):
                    self.rivulet("info", checkpoint)
                self.assertEqual(list((self.folder / out).rglob("*.tmp-*")), [])
                self.assertEqual(self.state_hash(out, "--frames", "6", "--checkpoint-every", "2", "--resume"), expected)
        self.assertLessEqual({".rivulet-run", "log.txt", "scene.toml"}, named)
        self.assertTrue(any(name.startswith("frames/") for name in named), named)

    def test_any_write_that_fails_is_exit_5_with_the_path_and_no_report(self):
        """Tables, log and report are smaller than frames: no limit of size comes to them first. So the Nth call fails."""
        library = self.folder / "failing.so"
        (self.folder / "failing.c").write_text(FAILING)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, self.folder / "failing.c", "-ldl"], check=True)
        arguments = ("--frames", "2", "--checkpoint-every", "1")
        expected = self.state_hash("whole", *arguments)
        calls, named = 0, set()
        while True:
            calls += 1
            out = f"failed{calls}"
            done = subprocess.run([BIN, "run", self.scene, "--out", out, "--progress", "none", *arguments], cwd=self.folder, text=True,
                                  capture_output=True, timeout=120, env={**os.environ, "LD_PRELOAD": str(library), "FAILING_CALL": str(calls)})
            if done.returncode == 0:
                break
            with self.subTest(call=calls):
                self.assertEqual(done.returncode, 5, done.stderr)
                named.add(re.search(rf"{out}(/[\w./-]+)?: (No space left on device|Input/output error)", done.stderr).group(1))
                self.assertFalse((self.folder / out / "report.json").exists() and (self.report(out)["exit"] != 5))
                for checkpoint in (self.folder / out).glob("checkpoints/*.h5"):
                    self.assertIn("intact", self.rivulet("info", checkpoint).stdout)
                if calls % (1 if FULL else 7) == 0:
                    self.assertEqual(self.state_hash(out, *arguments, "--resume"), expected)
        for name in ("log.txt", "scene.toml", "ledger.csv", "probes.csv", "steps.csv", "energy.csv", "report.json", "checkpoints/000000.h5"):
            self.assertIn("/" + name, named)

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
        self.assertEqual(self.report("other")["exit"], 5)
        self.assertIn("cannot write to standard output: exit 5", (self.folder / "other/log.txt").read_text())
        self.assertEqual(self.report("out")["exit"], 0)


if __name__ == "__main__":
    unittest.main()
