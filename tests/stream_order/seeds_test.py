#!/usr/bin/env python3
"""seeds_test.py PROGRAM: what seeds.py finds in PROGRAM (seeds_example.cpp), and what it prints."""
import os
import pathlib
import subprocess
import sys
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "seeds.py"
PROGRAM = sys.argv.pop()


class Seeds(unittest.TestCase):
    def run_seeds(self, cases, *options, first=1, count=9, **variables):
        command = [sys.executable, "-B", TOOL, "--seeds", str(first), str(count), *options, PROGRAM, f"--gtest_filter={cases}"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ, **variables))
        return ran.returncode, ran.stdout

    def test_passes_where_every_seed_does(self):
        self.assertEqual(self.run_seeds("ExampleTest.Passes"), (0, "9 seeds, 0 failed\n"))

    def test_names_the_seed_of_a_failure_and_how_to_repeat_it(self):
        code, printed = self.run_seeds("ExampleTest.Passes:ExampleTest.Fails*")
        self.assertEqual(code, 1)
        self.assertIn("9 seeds, 1 failed\n", printed)
        self.assertIn("Expected: (seed()) != (3)", printed)
        repeat = printed.split("seed 3 failed (exit code 1). Repeat it: ")[1].splitlines()[0]
        self.assertIn("KMUX_FAKE_CUDA_SEED=3", repeat)
        self.assertEqual(subprocess.run(repeat, shell=True, capture_output=True, check=False).returncode, 1)
        passing = repeat.replace("SEED=3", "SEED=2")
        self.assertEqual(subprocess.run(passing, shell=True, capture_output=True, check=False).returncode, 0)

    def test_finds_misuse_in_cases_that_pass(self):
        code, printed = self.run_seeds("ExampleTest.Misuses*")
        self.assertEqual(code, 1)
        self.assertIn("seed 4 failed (misuse, exit code 0).", printed)
        self.assertIn("something is used after its free", printed)

    def test_goes_on_behind_a_seed_that_ends_the_process(self):
        code, printed = self.run_seeds("ExampleTest.Aborts*:ExampleTest.Misuses*", first=4, count=4)
        self.assertEqual(code, 1)
        for line in ("seed 4 failed (misuse,", "seed 5 failed (exit code -6).", "4 seeds, 2 failed"):
            self.assertIn(line, printed)
        self.assertEqual(self.run_seeds("ExampleTest.Aborts*", first=6)[0], 0)

    def test_kills_a_process_that_takes_too_long(self):
        code, printed = self.run_seeds("ExampleTest.Hangs*", "--limit", "1")
        self.assertEqual(code, 1)
        for line in ("seed 6 failed (exit code none: killed after 1.0 s).", "9 seeds, 1 failed"):
            self.assertIn(line, printed)

    def test_a_pattern_without_cases_fails(self):
        for cases, pattern in (("Nothing.*", "Nothing.*"), ("ExampleTest.Passes:ExampleTest.Gone", "ExampleTest.Gone"),
                               ("ExampleTest.Passes-ExampleTest.Gone", "ExampleTest.Gone")):
            self.assertEqual(self.run_seeds(cases), (1, f"no case matches \"{pattern}\"\n"))

    def test_a_filter_that_leaves_out_what_it_chooses_fails(self):
        self.assertEqual(self.run_seeds("ExampleTest.Passes-ExampleTest.*")[0], 1)

    def test_skips_where_every_case_does(self):
        self.assertEqual(self.run_seeds("ExampleTest.Skips"), (77, "needs nothing (it always skips)\n"))
        self.assertEqual(self.run_seeds("ExampleTest.Skips:ExampleTest.Passes")[0], 0)

    def test_keeps_what_is_compiled_unless_seeds_are_apart(self):
        self.assertEqual(self.run_seeds("ExampleTest.KeepsFilesOfEarlierSeeds")[0], 0)
        self.assertEqual(self.run_seeds("ExampleTest.KeepsNothing", "--apart")[0], 0)

    def test_takes_the_count_of_the_environment(self):
        self.assertEqual(self.run_seeds("ExampleTest.Passes", KMUX_SEEDS="501"), (0, "501 seeds, 0 failed\n"))
        self.assertEqual(self.run_seeds("ExampleTest.Passes", KMUX_SEEDS="0")[0], 2)

    def test_the_small_size_has_ten_at_most(self):
        self.assertEqual(self.run_seeds("ExampleTest.Passes", KMUX_ALL_TESTS="0", count=20), (0, "10 seeds, 0 failed\n"))
        self.assertEqual(self.run_seeds("ExampleTest.Passes", KMUX_ALL_TESTS="0", count=3), (0, "3 seeds, 0 failed\n"))
        self.assertEqual(self.run_seeds("ExampleTest.Passes", KMUX_ALL_TESTS="1", count=20), (0, "20 seeds, 0 failed\n"))

    def test_a_program_that_cannot_start_fails(self):
        command = [sys.executable, "-B", TOOL, "--seeds", "1", "2", "false"]
        self.assertEqual(subprocess.run(command, capture_output=True, check=False).returncode, 1)


if __name__ == "__main__":
    unittest.main()
