#!/usr/bin/env python3
"""docs/environment.md names every variable that kmux and its plugins read, and no page names another one (C2.15)."""
import re
import unittest

from user_pages import ROOT, own_pages

PAGE = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
TABLE = (ROOT / "core/runtime/system/environment_variables.cpp").read_text(encoding="utf-8")
READER = (ROOT / "core/runtime/system/environment.cpp").read_text(encoding="utf-8")
NAME = re.compile(r"\b(?:KMUX|TILELANG)_[A-Z0-9_]+")
# Names of the C++ and CMake interfaces, which are not variables of the environment.
SETTING = re.compile(r"(?:^|[\s`(|])(KMUX_[A-Z0-9_]+)(?:=\S|`)")
NO_VARIABLE = {"KMUX_HAS_FIELD", "KMUX_PLUGIN_API_LEAST", "KMUX_PLUGIN_ABI_OLDEST", "KMUX_WAVEFRONT", "KMUX_TRY", "KMUX_ASSIGN", "KMUX_PLUGIN", "KMUX_VERSION", "KMUX_PORTABLE", "KMUX_LLVM_PREFIX",
               "KMUX_ARITHMETIC", "KMUX_CPU_HOME"}  # the last: an example of plugin-abi.md


def of_manifests():
    for path in (ROOT / "plugins").glob("*/plugin.json.in"):
        yield from re.findall(r'"(KMUX_\w+)"', path.read_text(encoding="utf-8"))


class Variables(unittest.TestCase):
    def setUp(self):
        self.table = set(re.findall(r'^    \{"(KMUX_\w+)"', TABLE, re.M))
        self.page = set(NAME.findall(PAGE))

    def test_are_all_on_the_page(self):
        self.assertGreater(len(self.table), 20)
        self.assertGreater(len(set(of_manifests())), 5)
        self.assertLessEqual(self.table | set(of_manifests()), self.page)
        self.assertLessEqual(set(NAME.findall(READER)), self.page | {"KMUX_OPTION_"})

    def test_are_known_where_they_are_read(self):
        read = {name for name in NAME.findall(READER) if name.startswith("KMUX_")} - {"KMUX_OPTION_"}
        self.assertLessEqual(read, self.table)

    def test_pages_name_no_other(self):
        known = self.table | set(of_manifests())
        for page in own_pages():
            for name in SETTING.findall(page.read_text(encoding="utf-8")):
                family = name.startswith("KMUX_OPTION_") or any(n.endswith("_") and name.startswith(n) for n in known)
                self.assertTrue(family or name in known | NO_VARIABLE, f"{page}: {name}")


if __name__ == "__main__":
    unittest.main()
