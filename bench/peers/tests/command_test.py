"""python3 bench/peers, as a person calls it."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import built_library
import page

PEERS = pathlib.Path(__file__).resolve().parent.parent


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def peers(self, *arguments, environment=None):
        command = [sys.executable, "-B", PEERS, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "needs NumPy (it is not installed)")
    @unittest.skipIf(built_library.missing(), f"needs a C compiler ({built_library.missing()})")
    def test_measures_prints_and_writes(self):
        target = self.written("page.md", f"# Page\n{page.BEGIN}\n{page.END}\n")
        found = self.folder / "found.json"
        quick = ("--on", "host", "--only", "C LOOP", "--rounds", "2", "--starts", "1")
        ran = self.peers(*quick, "--json", found, "--write", target)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("| C loop (cc ", ran.stdout)
        self.assertIn(ran.stdout, target.read_text())
        self.assertIn("start 1 of 1: C loop", ran.stderr)
        (row,) = json.loads(found.read_text())["rows"]
        self.assertEqual((row["state"], row["why"]), ("measured", ""))
        again = self.peers("--from", found, "--write", target)
        self.assertEqual((again.returncode, again.stdout), (0, ran.stdout))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "needs NumPy (it is not installed)")
    @unittest.skipIf(built_library.missing(), f"needs a C compiler ({built_library.missing()})")
    def test_needs_no_git(self):
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("cc", "as", "ld"):
            (programs / name).symlink_to(shutil.which(name))
        found = self.folder / "found.json"
        quick = ("--on", "host", "--only", "C LOOP", "--rounds", "2", "--starts", "1")
        ran = self.peers(*quick, "--json", found, environment={**os.environ, "PATH": str(programs)})
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_puts_several_machines_into_one_page(self):
        results = []
        for side, state in (("device", "missing"), ("host", "wrong")):
            row = {"peer": side, "side": side, "version": "", "state": state, "why": "why", "figures": {}}
            machine = dict.fromkeys(("device", "processor", "python", "date", "commit"), side)
            document = {"format": "kmux-peers", "version": 1, "machine": machine, "rows": [row]}
            document["settings"] = {"rounds": 1, "starts": 1}
            results.append(self.written(f"{side}.json", json.dumps(document)))
        ran = self.peers("--from", results[0], "--from", results[1])
        self.assertEqual(ran.returncode, 1)  # one is wrong
        self.assertLess(ran.stdout.index("| device | missing: why |"), ran.stdout.index("| host | wrong: why |"))

    def test_says_what_is_wrong_with_what_it_is_given(self):
        other = self.written("other.json", "{}")
        missing = self.folder / "nothing.json"
        for arguments, text in (
            (("--from", other), "is not a result of bench/peers"),
            (("--from", missing), "No such file"),
            (("--rounds", "0"), "must be at least 1"),
        ):
            ran = self.peers(*arguments)
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn(text, ran.stderr)
            self.assertNotIn("Traceback", ran.stderr)

    def test_asks_for_the_markers_before_it_measures(self):
        target = self.written("page.md", "no markers")
        ran = self.peers("--on", "host", "--write", target)
        self.assertEqual(ran.returncode, 1)
        self.assertIn(f"has '{page.BEGIN}' 0 times", ran.stderr)
        self.assertNotIn("start 1", ran.stderr)


if __name__ == "__main__":
    unittest.main()
