#!/usr/bin/env python3
"""tools/api_docs.py"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import api_docs

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
    def test_want_comments_of_functions_and_show_those_behind_members(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "include/sample").mkdir(parents=True)
            (Path(folder) / "include/sample/pair.h").write_text(_HEADER)
            out = Path(folder) / "out"
            warnings = api_docs.make([Path(folder) / "include/sample"], out)
            pages = "".join(page.read_text() for page in (out / "html").glob("structsample_1_1Pair.html"))
        self.assertEqual(["difference" in warning for warning in warnings], [True], warnings)
        self.assertIn("in metres", pages)

    def test_have_the_version_of_the_header(self):
        self.assertRegex(api_docs.version(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    if not shutil.which("doxygen"):
        print("needs doxygen (the API reference is made with it)")
        sys.exit(77)
    unittest.main()
