#!/usr/bin/env python3
"""check_tree.py: which includes of core/ it lets pass, and which names a plugin must have."""
import pathlib
import tempfile
import unittest

import check_tree


def sources(**includes):
    """Sources of core/, by the path below it with __ for a slash, each including one header."""
    return {pathlib.Path("core", name.replace("__", "/") + ".h"): [f'#include "{header}"'] for name, header in includes.items()}


class Upward(unittest.TestCase):
    def found(self, **includes):
        return list(check_tree.upward(sources(**includes)))

    def test_lets_includes_go_down_and_stay(self):
        self.assertEqual(self.found(base__error="string", ir__expr="base/error.h", ir__validate__scope="ir/expr.h", runtime__system__log="ir/expr.h",
                                    runtime__cache__disk__entry="system/log.h", runtime__cache__remote__server="cache/disk/entry.h",
                                    worker__main="cache/remote/server.h"), [])

    def test_refuses_what_goes_up(self):
        found = self.found(base__error="ir/expr.h", ir__expr="string")
        self.assertEqual(len(found), 1)
        self.assertIn("core/base/error.h:1: core/base includes core/ir", found[0])

    def test_refuses_what_goes_aside(self):
        self.assertEqual(len(self.found(plan__plan="toolchain/process.h", toolchain__process="string")), 1)
        self.assertEqual(len(self.found(runtime__cache__disk__entry="cache/remote/server.h", runtime__cache__remote__server="string")), 1)

    def test_knows_public_headers_by_what_they_are_included_as(self):
        found = self.found(ir__include__kmux__expr="kmux/plugin/plan.h", plan__include__kmux__plugin__plan="string")
        self.assertEqual(len(found), 1)

    def test_finds_none_in_the_tree(self):
        paths = (path for path in (check_tree.ROOT / "core").rglob("*") if path.suffix in {".h", ".hpp", ".cpp"})
        core = {path.relative_to(check_tree.ROOT): path.read_text(encoding="utf-8").splitlines() for path in paths}
        self.assertGreater(len(core), 300)
        self.assertEqual(list(check_tree.upward(core)), [])


class Unnamed(unittest.TestCase):
    def test_says_what_a_plugin_lacks(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in check_tree.PLUGIN_FILES[1:]:
                pathlib.Path(folder, name).touch()
            found = list(check_tree.unnamed(pathlib.Path(folder)))
        self.assertEqual(len(found), 1)
        self.assertIn("no README.md", found[0])


if __name__ == "__main__":
    unittest.main()
