#!/usr/bin/env python3
"""For each backend the pages say whether it compares what launches pass with what compiled kernels take; one that does has a test."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = (ROOT / "docs/design/0043-compiled-signature.md").read_text(encoding="utf-8")
ROWS = [line.strip("|").split("|") for line in TABLE.splitlines() if line.startswith("| `")]
BACKENDS = sorted(path.parent.name for path in ROOT.glob("plugins/*/plugin.json.in"))


def backends_where(holds):
    return {name for row in ROWS if holds("not compared" in row[1]) for name in re.findall(r"`(\w+)`", row[0]) if name in BACKENDS}


def text_of(paths):
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


class Compared(unittest.TestCase):
    def test_of_each_backend_it_is_known(self):
        self.assertEqual(sorted(backends_where(lambda _: True)), BACKENDS)

    def test_who_compares_has_a_test(self):
        for backend in backends_where(lambda is_not: not is_not):
            tests = text_of((ROOT / "plugins" / backend / "tests").glob("*_test.cpp"))
            self.assertRegex(tests, r"its code takes|\(its \"\s*\"code takes", backend)

    def test_who_does_not_says_so(self):
        page = (ROOT / "docs/text-form.md").read_text(encoding="utf-8")
        for backend in backends_where(lambda is_not: is_not):
            self.assertRegex(text_of([ROOT / "plugins" / backend / "README.md"]), r"are not compared with|do not have their types")
            self.assertRegex(page, rf"Backend `{backend}` cannot|Nor can engine `host` of `{backend}`")


if __name__ == "__main__":
    unittest.main()
