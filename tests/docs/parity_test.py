#!/usr/bin/env python3
"""The tests that docs/tilelang-parity.md names are there: `Suite.Case` of GoogleTest, `file` or `file.test` of Python, a ctest."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tilelang-parity.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if re.match(r"\| \d", line)]


def is_there(name):
    suite, _, case = name.partition(".")
    if suite in ("messages", "docs"):
        return (ROOT / "tests" / suite / f"{case}{'_test' if suite == 'docs' else ''}.py").is_file()
    if re.fullmatch(r"[a-z_]+_test", suite):
        texts = [path.read_text(encoding="utf-8") for path in (ROOT / "integrations").rglob(f"{suite}.py")]
        return any(not case or f"def {case}(" in text for text in texts)
    pattern = re.compile(rf"TEST(?:_F|_P)?\({suite}, {case}\)")
    return any(pattern.search(path.read_text(encoding="utf-8")) for path in sources())


def sources():
    for folder in ("tests", "plugins", "integrations"):
        yield from (ROOT / folder).rglob("*_test.cpp")


class Parity(unittest.TestCase):
    def test_names_tests_that_are_there(self):
        self.assertEqual(len(ROWS), 21)  # 22 features, of which two are one row
        for row in ROWS:
            names = re.findall(r"`([^`]+)`", row[3])
            self.assertTrue(names, row)
            for name in names:
                self.assertTrue(is_there(name), name)


if __name__ == "__main__":
    unittest.main()
