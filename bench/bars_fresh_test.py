#!/usr/bin/env python3
"""bars_fresh: what it runs, in which order and environment, and what it says when a step fails."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent / "bars_fresh"
# Stands for kmux.sh, cmake and ctest: writes down what it is told and which of the watched files are newer than the step before,
# and fails when told so.
STAND_IN = """#!/usr/bin/env bash
case "$*" in *json*) echo '{"tests": [{"command": ["a"]}, {"command": ["b"]}, {"command": ["c"]}, {"command": ["d"]},
  {"command": ["e"], "properties": [{"name": "LABELS", "value": ["large"]}]}]}'; exit ;; esac
touched=$(find "$PWD" -newer "$LOG" -name '*.cpp' -o -newer "$LOG" -name '*.h' | xargs -rn1 realpath --relative-to="$PWD" | sort)
echo "$(basename "$0") $* | ${CCACHE_DISABLE:-} | $(echo $touched) | $(git status --short)$(cat .cache/wheels/a.whl)" >> "$LOG"
sleep 0.05
[[ "$*" != "${FAILING:-nothing}" ]]
"""
FILES = ("core/base/include/kmux/error.h", "plugins/cpu/builder.cpp", "plugins/hip/builder.cpp", "plugins/hip/facts.cpp")
BUILD = "cmake --build --preset release --parallel 3 --target all"


@unittest.skipUnless(shutil.which("git"), "needs git (it is not installed)")
class BarsFresh(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "source"
        self.work = self.folder / "work"
        self.work.mkdir()
        for name in FILES:
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            (self.source / name).write_text(name)
        (self.source / "kmux.sh").write_text(STAND_IN)
        (self.source / "kmux.sh").chmod(0o755)
        (self.source / ".cache/wheels").mkdir(parents=True)
        (self.source / ".cache/wheels/a.whl").write_text("a wheel")
        (self.source / ".gitignore").write_text("/.cache/\n")
        for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "all"]):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.source, check=True)
        (self.folder / "bin").mkdir()
        for name in ("cmake", "ctest"):
            (self.folder / "bin" / name).write_text(STAND_IN)
            (self.folder / "bin" / name).chmod(0o755)
        (self.folder / "log").touch()

    def run_bars(self, failing=""):
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "LOG": str(self.folder / "log")}
        if failing:
            environment["FAILING"] = failing
        return subprocess.run([sys.executable, "-B", PROGRAM, "--from", self.source, "--in", self.work, "--jobs", "3"],
                              env=environment, capture_output=True, text=True)

    def steps(self):
        return [line.split(" | ") for line in (self.folder / "log").read_text().splitlines()]

    def test_prints_each_bar(self):
        ran = self.run_bars()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        names = ("tracked_lines", "quick_build_s", "quick_run_s", "demo_build_s", "test_from_fresh_s", "test_warm_s", "first_size_cases_pct",
                 "touch_source_s", "touch_header_s", "all_warm_s")  # fmt: skip
        self.assertRegex(ran.stdout, "\\A" + "".join(rf"bar {name} [\d.]+ \S+ [<>]= \d+ held\n" for name in names) + "\\Z")
        self.assertIn("bar first_size_cases_pct 80.000 % >= 80 held", ran.stdout)
        self.assertIn("load average", ran.stderr)

    def test_builds_without_ccache_in_this_order(self):
        self.run_bars()
        steps = self.steps()
        self.assertEqual([step[0] for step in steps], [
            "kmux.sh quick -R ^unit_tests.digest$", "kmux.sh quick", "kmux.sh demo", "kmux.sh test", "kmux.sh test", BUILD, BUILD, BUILD,
            "kmux.sh test --all", "kmux.sh test --all"])  # fmt: skip
        self.assertEqual({step[1] for step in steps}, {"1"})

    def test_takes_what_was_fetched_and_leaves_the_clone_clean(self):
        self.run_bars()
        self.assertEqual({step[3] for step in self.steps()}, {"a wheel"})

    def test_touches_one_source_of_each_plugin_then_the_header(self):
        self.run_bars()
        self.assertEqual([step[2] for step in self.steps()][5:8], [
            "plugins/cpu/builder.cpp", "plugins/hip/builder.cpp", "core/base/include/kmux/error.h"])
        self.assertEqual([(self.source / name).read_text() for name in FILES], list(FILES))

    def test_stops_at_a_step_that_fails_and_leaves_nothing(self):
        ran = self.run_bars(failing="--build --preset release --parallel 3 --target all")
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stdout, r"bar first_size_cases_pct [\d.]+ % >= 80 held\n\Z")
        self.assertIn("touch_source_s cannot be measured (cmake ended with 1). It says why above.", ran.stderr)
        self.assertEqual(list(self.work.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
