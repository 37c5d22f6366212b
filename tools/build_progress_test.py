#!/usr/bin/env python3
"""Tests build_progress.py with a real Ninja: what it shows in a terminal and elsewhere, what it says of a failure."""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import build_progress

TOOL = pathlib.Path(__file__).resolve().parent / "build_progress.py"
RULE = "rule run\n  command = $cmd\n"


def step(number, command="true"):
    return f"build out{number}: run\n  cmd = {command} && touch out{number}\n"


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "logs" / "build.log"

    def command(self, steps):
        (self.folder / "build.ninja").write_text(RULE + "".join(steps))
        ninja = [shutil.which("ninja"), "-C", str(self.folder), "-j1"]
        return [sys.executable, "-B", str(TOOL), "--log", str(self.log), "--", *ninja]

    def built(self, *steps):
        return subprocess.run(self.command(steps), capture_output=True, text=True, check=False)

    def test_shows_a_line_each_tenth_where_there_is_no_terminal(self):
        ran = self.built(*(step(number) for number in range(40)))
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))
        lines = ran.stderr.splitlines()
        self.assertEqual(len(lines), 10, ran.stderr)
        self.assertRegex(lines[0], r"^kmux: built 4 of 40, 0 s$")
        self.assertRegex(lines[-1], r"^kmux: built 40 of 40 in \d+ s$")

    def test_shows_one_line_that_moves_in_a_terminal(self):
        ours, theirs = pty.openpty()
        command = self.command([step(number) for number in range(40)])
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            try:
                while read := os.read(ours, 65536):
                    shown += read
            except OSError:  # the other end is closed
                pass
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(shown.count(b"\n"), 1, shown)  # of the last word
        self.assertGreater(shown.count(b"\r\x1b[K"), 20)
        self.assertIn(b"kmux: built 20 of 40, 0 s", shown)

    def test_the_log_has_everything(self):
        self.built(step(1, "echo a warning"), step(2))
        self.assertIn("a warning", self.log.read_text())
        self.assertEqual(len(re.findall(r"^\[\d/2\] ", self.log.read_text(), re.MULTILINE)), 2)

    def test_a_failure_shows_the_first_message_and_names_the_log(self):
        long = "; ".join(f"echo 'more {number}'" for number in range(100))
        failing = f"echo 'x.cpp:3: error: no such thing'; {long}; false"
        ran = self.built(step(0), step(1, failing), step(2, "echo never; false"))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("FAILED: out1", ran.stderr)
        self.assertIn("x.cpp:3: error: no such thing\n", ran.stderr)
        self.assertNotIn("echo", ran.stderr)  # the command
        self.assertNotIn("more 50", ran.stderr)
        self.assertTrue(ran.stderr.endswith(f"The whole log is {self.log}.\n"), ran.stderr)
        self.assertIn("more 99", self.log.read_text())

    def test_a_failure_of_ninja_itself_is_shown(self):
        ran = self.built("build out: missing_rule\n")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("unknown build rule", ran.stderr)

    def test_nothing_to_do_says_nothing(self):
        self.built(step(1))
        ran = self.built(step(1))
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))


class Progress(unittest.TestCase):
    def test_estimates_what_remains(self):
        progress = build_progress.Progress(100.0)
        self.assertTrue(progress.take("[30/120] Building CXX object x.o"))
        self.assertEqual(progress.text(160.0), "kmux: built 30 of 120, 1 min 0 s, about 3 min 0 s left")

    def test_estimates_nothing_from_the_first_steps(self):
        progress = build_progress.Progress(100.0)
        progress.take("[1/120] Building CXX object x.o")
        self.assertEqual(progress.text(102.0), "kmux: built 1 of 120, 2 s")

    def test_configuring_again_is_no_step(self):
        progress = build_progress.Progress(0.0)
        self.assertFalse(progress.take("[0/1] Re-running CMake..."))
        self.assertFalse(progress.take("-- Configuring done"))


if __name__ == "__main__":
    unittest.main()
