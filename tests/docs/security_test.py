#!/usr/bin/env python3
"""docs/security.md: every line of its tables has tests, and each of them exists."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| attack or fault |")]
SOURCES = [path for folder in ("tests", "plugins", "cli") for path in (ROOT / folder).rglob("*_test.cpp")]
TESTS = {f"{suite}.{test}" for path in SOURCES
         for suite, test in re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", path.read_text(encoding="utf-8"), re.M)}


class Security(unittest.TestCase):
    def test_lines_have_tests(self):
        self.assertGreater(len(ROWS), 30)
        for row in ROWS:
            self.assertEqual(len(row), 3, row)
            self.assertRegex(row[2], r"`\w+\.\w+`", row[0])

    def test_tests_exist(self):
        self.assertIn("SecureProcessTest.IgnoresCodePathsFromEnvironment", TESTS)
        for name in re.findall(r"`(\w+\.\w+)`", " ".join(row[2] for row in ROWS)):
            self.assertIn(name, TESTS)


if __name__ == "__main__":
    unittest.main()
