#!/usr/bin/env python3
"""Every link of every page of this tree leads somewhere; in the package's copy that is tests/package's to say (C3.9)."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import package_pages  # noqa: E402


def pages():
    yield from ROOT.glob("*.md")
    for folder in ("docs", "bench", "examples", "integrations", "plugins", "tests", "tools"):
        yield from (ROOT / folder).rglob("*.md")


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        found = list(pages())
        self.assertGreater(sum(1 for page in found for _ in package_pages.links(page.read_text(encoding="utf-8"))), 100)
        self.assertEqual(list(package_pages.dead_links(ROOT, found)), [])


if __name__ == "__main__":
    unittest.main()
