#!/usr/bin/env python3
"""docs_site.py: its navigation has each page of docs/ once, and a small tree becomes a site."""
import pathlib
import sys
import tempfile
import unittest

import docs_site

INDEX = "# The pages\n\n## Start\n\n| page | has |\n|---|---|\n| [a.md](a.md), [b](b) | two pages |\n| [x.cpp](../x.cpp) | no page |\n"


def pages_in(sections):
    """The paths of a navigation."""
    for section in sections:
        for value in section.values():
            yield from [value] if isinstance(value, str) else (path for page in value for path in page.values())


class Navigation(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in {"README.md": "# Tree\n[docs](docs/README.md)\n", "docs/README.md": INDEX, "docs/a.md": "# `A`\n", "x.cpp": "",
                           "docs/b/README.md": "# B\n", "docs/b/c.md": "# C\n", "CHANGELOG.md": "# Changes\n"}.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def test_is_that_of_the_index(self):
        self.assertEqual(docs_site.navigation(self.root),
                         [{"kmux": "README.md"}, {"Start": [{"A": "docs/a.md"}, {"B": "docs/b/README.md"}, {"C": "docs/b/c.md"}]}])

    def test_of_this_tree_has_each_page_once(self):
        found = list(pages_in(docs_site.navigation(docs_site.ROOT)))
        self.assertEqual(len(found), len(set(found)))
        pages = {path.relative_to(docs_site.ROOT).as_posix() for path in (docs_site.ROOT / "docs").glob("*.md")} - {"docs/README.md"}
        self.assertEqual(pages - set(found), set())

    def test_is_of_a_site(self):
        if docs_site.main([str(self.root / "out")]) == 77:
            self.skipTest("needs mkdocs-material (it is not installed)")
        for name in ("index.html", "docs/cpp.html", "plugins/cpu/index.html", "search/search_index.json"):
            self.assertTrue((self.root / "out/site" / name).is_file(), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
