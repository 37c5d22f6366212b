#!/usr/bin/env python3
"""docs/performance.md has the table that bench/performance.py makes of the kept results, and that table has every bar."""
import json
import subprocess
import sys
import unittest

import performance

PROGRAM = sys.argv.pop(1)
GROUPS = ("bars_fleet", "bars_hopper", "bars_house", "bars_python", "bars_tilelang")


def listed(*command):
    """Each bar with a limit that a program lists: its group, name, unit and limit. Those without may be a trend that no page has."""
    done = subprocess.run([*command, "--list"], capture_output=True, text=True, check=True)
    return {bar for bar in (tuple(line.split("\t")) for line in done.stdout.splitlines()) if bar[3]}


class Page(unittest.TestCase):
    def test_is_what_the_command_makes_of_the_results(self):
        page = performance.PAGE.read_text(encoding="utf-8")
        self.assertEqual(page, performance.page_with(performance.table()), "run bench/performance.py --write")

    def test_names_what_the_programs_measure(self):
        read = {(bar.group, bar.name, bar.unit, bar.limit()) for bar in performance.bars()}
        programs = listed(PROGRAM)
        for name in GROUPS:
            programs |= listed(sys.executable, "-B", performance.ROOT / "bench" / name)
        self.assertEqual(programs - read, set())

    def test_a_name_is_one_bar(self):
        names = [bar.name for bar in performance.bars()]
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_results_are_small_and_of_bars_that_there_are(self):
        names = {bar.name for bar in performance.bars()}
        for path in performance.RESULTS.iterdir():
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text.count("\n"), 1, path.name)
            self.assertEqual(set(json.loads(text)["bars"]) - names, set(), path.name)


if __name__ == "__main__":
    unittest.main()
