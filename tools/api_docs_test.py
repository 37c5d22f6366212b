#!/usr/bin/env python3
"""tools/api_docs.py"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import api_docs

_ROOT = Path(__file__).resolve().parent.parent

_HEADER = """#pragma once
/// Of tests.
namespace sample {
/// A pair.
struct Pair {
  int first = 0;  // in metres
  int second = 0;
  /// Their sum.
  int sum() const;
  int difference() const;
};
}  // namespace sample
"""


class ApiDocs(unittest.TestCase):
    def test_want_comments_of_functions_and_members_and_show_those_behind_members(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "include/sample").mkdir(parents=True)
            (Path(folder) / "include/sample/pair.h").write_text(_HEADER)
            out = Path(folder) / "out"
            warnings = api_docs.make([Path(folder) / "include/sample"], out)
            pages = "".join(page.read_text() for page in (out / "html").glob("structsample_1_1Pair.html"))
        for name in ("second", "difference"):
            self.assertEqual(sum(f" {name}" in warning for warning in warnings), 1, (name, warnings))
        self.assertEqual(len(warnings), 2, warnings)
        self.assertIn("in metres", pages)

    def test_are_of_the_headers_that_are_installed(self):
        """Those that a CMakeLists.txt gives to a header set."""
        found = {header for folder in api_docs.public_headers() for header in folder.rglob("*.h*")}
        named = set()
        for listing in (_ROOT / "core").rglob("CMakeLists.txt"):
            words = listing.read_text().replace("(", " ").replace(")", " ").split()
            named |= {listing.parent / word for word in words if word.startswith("include/kmux/")}
        self.assertEqual(found, named)

    def test_have_the_version_of_the_header(self):
        self.assertRegex(api_docs.version(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    if not shutil.which("doxygen"):
        print("needs doxygen (the API reference is made with it)")
        sys.exit(77)
    unittest.main()
