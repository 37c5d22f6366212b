#!/usr/bin/env python3
"""Every header that a page names can be included, and docs/plugin-abi.md names what authors of backends use (C3.11)."""
import re
import unittest

from user_pages import ROOT, pages

NAMED = re.compile(r"kmux/((?:\w+/)?\w+\.(?:h|hpp))\b")
TABLE = re.compile(r"^## What the SDK has for authors$(.*?)^## ", re.M | re.S)


class Headers(unittest.TestCase):
    def test_that_pages_name_are_there(self):
        there = {str(header).rpartition("include/kmux/")[2] for header in (ROOT / "core").rglob("include/kmux/**/*.h*")}
        for page in pages():
            if page.name == "CHANGELOG.md":
                continue  # it names what was there
            named = set(NAMED.findall(page.read_text(encoding="utf-8")))
            self.assertLessEqual(named - there, set(), page)

    def test_of_the_table_are_the_sdks(self):
        table = TABLE.search((ROOT / "docs/plugin-abi.md").read_text(encoding="utf-8"))[1]
        named = set(re.findall(r"`(\w+\.(?:h|hpp))`", table))
        self.assertLessEqual(named, {header.name for header in (ROOT / "core").rglob("include/kmux/**/*.h*")})
        of_authors = {header.name for header in (ROOT / "core").rglob("include/kmux/plugin/*.h*")}
        self.assertLessEqual(of_authors - named, {"plugin.h"}, "the contract itself is named above the table")
        for word in ("LauncherDialect", "emit_args", "emit_launcher", "kmux conformance"):
            self.assertIn(word, (ROOT / "docs/plugin-abi.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
