#!/usr/bin/env python3
"""Tests package_pages.py: which links it sees, and what is left of those that lead nowhere in a package (C3.9)."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "package_pages.py"
sys.path.insert(0, str(TOOL.parent))
import package_pages  # noqa: E402


class Links(unittest.TestCase):
    def targets(self, text):
        return [match["target"] for match in package_pages.links(text)]

    def test_are_found_with_their_images(self):
        self.assertEqual(self.targets("[a](x.md) and [`b` c](y#z), ![p](p.png)"), ["x.md", "y#z", "p.png"])
        self.assertEqual(self.targets("[![p](p.png)](page.html)"), ["page.html"])
        self.assertEqual(self.targets("[over\nlines](x.md)"), ["x.md"])

    def test_are_not_taken_from_code(self):
        self.assertEqual(self.targets("`[&](int)` and `f[i](j)`"), [])
        self.assertEqual(self.targets("```cpp\nauto f = [](x) {};\n[a](b.md)\n```\n[c](d.md)\n"), ["d.md"])


class Package(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.root, self.folder = pathlib.Path(temp.name, "tree").resolve(), pathlib.Path(temp.name, "package").resolve()
        self.write("README.md", "[docs](docs/a.md#two-words), [code](src/a.cpp), [web](https://example.org), "
                                "[![p](docs/p.png)](docs/p.png), [out](../x.md), [none](docs/a.md#three), `[](src)`\n")
        self.write("docs/a.md", "# A\n\n## Two `words`\n[up](../README.md) [example](../examples/e.c) [plugin](../plugins/x)\n")
        self.write("docs/p.png", "P")
        self.write("plugins/x/README.md", "[x.cpp](x.cpp)\n")
        self.write("plugins/x/x.cpp", "")
        self.write("src/a.cpp", "")
        example = self.folder / "examples/e.c"
        example.parent.mkdir(parents=True)
        example.write_text("")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def package(self):
        subprocess.run([sys.executable, "-B", TOOL, self.folder, self.root], check=True)

    def test_has_pages_and_what_lies_beside_them(self):
        self.package()
        files = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(files, {"README.md", "docs/a.md", "docs/p.png", "plugins/x/README.md", "examples/e.c"})

    def test_keeps_links_that_lead_on(self):
        self.package()
        self.assertEqual((self.folder / "README.md").read_text(),
                         "[docs](docs/a.md#two-words), code, [web](https://example.org), "
                         "[![p](docs/p.png)](docs/p.png), out, none, `[](src)`\n")
        self.assertIn("[up](../README.md) [example](../examples/e.c) [plugin](../plugins/x)",
                      (self.folder / "docs/a.md").read_text())
        self.assertEqual((self.folder / "plugins/x/README.md").read_text(), "x.cpp\n")

    def test_dead_links_are_named(self):
        dead = [("README.md", "src/b.cpp"), ("README.md", "docs/q.png")]
        self.write("README.md", "[b](src/b.cpp) [![q](docs/q.png)](docs/p.png) [two](docs/a.md#two-words)\n")
        self.assertEqual(list(package_pages.dead_links(self.root, [self.root / "README.md"])), dead)


if __name__ == "__main__":
    unittest.main()
