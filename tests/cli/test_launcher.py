"""./rivulet in a clone that someone else has built. The program is a stand-in; nothing is installed or built."""
import os
import shutil
import subprocess
import unittest

from support import ROOT, CliTest

NOBODY = 65534


class ForeignClone(CliTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.clone = self.folder / "clone"
        self.program = self.clone / "build/release/apps/cli/rivulet"
        for name in ("src", "include", "apps", "bench", "tools"):
            (self.clone / name).mkdir(parents=True)
        self.program.parent.mkdir(parents=True)
        shutil.copy(ROOT / "rivulet", self.clone)
        shutil.copy(ROOT / "tools/packages.txt", self.clone / "tools")
        (self.clone / "CMakeLists.txt").write_text("")
        self.program.write_text('#!/bin/sh\necho "$RIVULET_COMMAND" "$@"\n')
        self.program.chmod(0o755)
        os.utime(self.clone / "CMakeLists.txt", (0, 0))

    def launch(self, *arguments):
        """As someone who may not write to the clone: root becomes nobody, others give up the right themselves."""
        folders = [self.clone, *(p for p in self.clone.rglob("*") if p.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
            self.addCleanup(folder.chmod, 0o755)
        other = {"user": NOBODY} if os.getuid() == 0 else {}
        return subprocess.run([self.clone / "rivulet", *arguments], capture_output=True, text=True, timeout=60, **other)

    def test_its_program_runs(self):
        done = self.launch("scenes", "list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{self.clone}/rivulet scenes list\n")

    def test_a_source_that_is_newer_is_told(self):
        (self.clone / "src/step.cpp").write_text("")
        os.utime(self.program, (1, 1))
        done = self.launch("scenes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("src/step.cpp is newer than the program", done.stderr)

    def test_the_tests_are_refused_in_one_line(self):
        done = self.launch("test")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("may not write", done.stderr)


class BuiltClone(unittest.TestCase):
    def test_the_launcher_costs_little_where_there_is_nothing_to_do(self):
        program = ROOT / "build/release/apps/cli/rivulet"
        if not program.exists() or not (ROOT / "build/.packages-run").exists():
            self.skipTest("this clone is not built by ./rivulet")
        subprocess.run([ROOT / "rivulet", "--version"], check=True, capture_output=True)  # up to date from here on

        def cpu(command):
            """Processor time [s]: what a quiet machine would take; the least of five."""
            times = []
            for _ in range(5):
                before = os.times()
                subprocess.run([command, "--version"], check=True, capture_output=True)
                after = os.times()
                times.append(after.children_user + after.children_system - before.children_user - before.children_system)
            return min(times)

        launcher, alone = cpu(ROOT / "rivulet"), cpu(program)
        print(f"./rivulet --version: {launcher:.2f} s of processor time, the program alone {alone:.2f} s")
        self.assertLess(launcher - alone, 0.3)


if __name__ == "__main__":
    unittest.main()
