"""The commands that the documentation shows work: every ```sh block of README.md and docs/ is run, in order, a page at a
time, in a folder of its own, with `rivulet` and `./rivulet` meaning the program under test. A block preceded by the line
<!-- not tested: REASON --> is left out."""
import os
import pathlib
import re
import subprocess
import unittest

from support import BIN, ROOT, CliTest

BLOCK = re.compile(r"(<!-- not tested: .+? -->\n)?^```sh\n(.*?)^```", re.M | re.S)
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


class Docs(CliTest):
    def test_commands_of_every_page_run(self):
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "rivulet").symlink_to(BIN)
        env = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
        for page in PAGES:
            blocks = [body for skipped, body in BLOCK.findall(page.read_text()) if not skipped]
            place = self.folder / page.stem
            place.mkdir()
            (place / "rivulet").symlink_to(BIN)
            for body in blocks:
                with self.subTest(page=page.name, block=body):
                    done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=place, env=env, capture_output=True,
                                          text=True, timeout=900)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_problems_of_the_errors_page_are_what_the_program_says(self):
        page = (ROOT / "docs/errors.md").read_text()
        scene, = re.findall(r"cat > wrong.toml <<'END'\n(.*?)^END", page, re.M | re.S)
        shown, = re.findall(r"```text\n(rivulet: wrong.toml.*?)```", page, re.S)
        (self.folder / "wrong.toml").write_text(scene)
        said = self.rivulet("check", "wrong.toml", expect=2).stderr.splitlines()
        self.assertEqual(len(said), len(shown.splitlines()))
        for line, example in zip(said, shown.splitlines()):
            self.assertRegex(line, "^" + ".*".join(map(re.escape, example.split("..."))) + "$")

    def test_the_h5py_example_runs(self):
        text = (ROOT / "docs/file_formats.md").read_text()
        (example,) = re.findall(r"```python\n(.*?)```", text, re.S)
        self.run_scene("out", "--frames", "1")
        code = re.sub(r'"runs/.*?\.h5"', '"out/frames/000001.h5"', example)
        done = subprocess.run(["/usr/bin/python3", "-c", code], cwd=self.folder, capture_output=True, text=True)
        self.assertRegex(done.stdout, r"^0\.02\d* \[.*\]\n$", done.stderr)

    def test_links_between_pages_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / pathlib.Path(target)).exists())


if __name__ == "__main__":
    unittest.main()
