#!/usr/bin/env python3
"""check_snippets.py: what it accepts, what it prints, what it writes."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "check_snippets.py"
SOURCE = "int a;\n  // [body.begin]\n  int b;\n    int c;\n  // [body.end]\n"
PAGE = "# Page\n\n<!-- region: src/a.cpp body -->\n```cpp\n{}```\n"


class CheckSnippets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("src", "docs"):
            (self.root / name).mkdir()
        (self.root / "src/a.cpp").write_text(SOURCE)

    def check(self, page, *arguments):
        (self.root / "docs/page.md").write_text(page)
        ran = subprocess.run([sys.executable, "-B", TOOL, *arguments, self.root], capture_output=True, text=True)
        self.assertEqual(ran.stderr, "")
        return ran.returncode, ran.stdout

    def test_accepts_a_block_that_is_the_region_without_its_indent(self):
        self.assertEqual(self.check(PAGE.format("int b;\n  int c;\n")), (0, "snippets: 1 pages agree with their regions\n"))

    def test_accepts_a_whole_file(self):
        self.assertEqual(self.check(f"<!-- region: src/a.cpp -->\n```\n{SOURCE}```\n")[0], 0)

    def test_prints_what_differs(self):
        code, printed = self.check(PAGE.format("int b;\n  int d;\n"))
        self.assertEqual(code, 1)
        for line in ("--- docs/page.md", "+++ src/a.cpp body", "-  int d;", "+  int c;"):
            self.assertIn(line, printed)

    def test_says_what_is_missing(self):
        for page, text in {
            PAGE.format("").replace("a.cpp", "b.cpp"): "docs/page.md: no file 'src/b.cpp'",
            PAGE.format("").replace("body", "head"): "docs/page.md: no region 'head' in 'src/a.cpp'",
            "<!-- region: src/a.cpp body -->\n\ntext\n": "1 region comments, 0 with a code block",
        }.items():
            code, printed = self.check(page)
            self.assertEqual(code, 1)
            self.assertIn(text, printed)

    def test_writes_the_regions_into_the_pages(self):
        self.assertEqual(self.check(PAGE.format("int x;\n"), "--write")[0], 0)
        self.assertEqual((self.root / "docs/page.md").read_text(), PAGE.format("int b;\n  int c;\n"))


if __name__ == "__main__":
    unittest.main()
