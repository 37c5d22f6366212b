#!/usr/bin/env python3
"""What the program of bars prints and returns for bars that are held, missed, skipped, or fail (example.cpp)."""
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def bars(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)


class Program(unittest.TestCase):
    def test_prints_value_unit_limit_and_verdict(self):
        ran = bars("held", "held_below", "without_limit")
        self.assertEqual(ran.stdout, "bar held 2.000 ns <= 2 held\nbar held_below 2.000 of 1 >= 1.5 held\nbar without_limit 2.000 us\n")
        self.assertEqual(ran.returncode, 0)
        self.assertIn("in 3 processes", ran.stderr)

    def test_a_missed_bar_is_its_status(self):
        ran = bars("missed")
        self.assertEqual((ran.stdout, ran.returncode), ("bar missed 2.000 ratio >= 2.5 missed\n", 1))

    def test_a_skipped_bar_is_named(self):
        ran = bars("skipped")
        self.assertEqual((ran.stdout, ran.stderr, ran.returncode), ("", "skipped skipped: no two here\n", 0))

    def test_a_failing_bar_leaves_the_others(self):
        ran = bars("example")
        self.assertEqual(len(ran.stdout.splitlines()), 4)
        self.assertIn("nothing to measure", ran.stderr)
        self.assertEqual(ran.returncode, 1)

    def test_an_unknown_word_lists_the_groups(self):
        ran = bars("sound")
        self.assertEqual((ran.returncode, ran.stderr), (2, 'bars: no group or bar "sound". Groups: example\n'))

    def test_a_child_gets_its_words(self):
        self.assertEqual(bars("--root", "x", "--child", "echo", "a", "b").returncode, 7)

    def test_lists_all(self):
        self.assertIn("example\tmissed\tratio\t>= 2.5\n", bars("--list").stdout)


if __name__ == "__main__":
    unittest.main()
