#!/usr/bin/env python3
"""Tests new_plugin.py: names, refusals, and what the copy holds. That it builds and runs is what tests/install shows."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "new_plugin.py"
TEMPLATE = TOOL.parent.parent / "tests" / "fakes" / "null"


def run(name, folder):
    return subprocess.run([sys.executable, str(TOOL), name, "--into", str(folder)], capture_output=True, text=True)


class NewPlugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def texts(self, name):
        return {path.name: path.read_text() for path in (self.folder / name).iterdir()}

    def test_copies_every_file_under_the_new_name(self):
        self.assertEqual(run("my_gpu", self.folder).returncode, 0)
        texts = self.texts("my_gpu")
        self.assertEqual(set(texts), {path.name for path in TEMPLATE.iterdir()})
        for name, text in texts.items():
            self.assertNotRegex(text, r"\bnull\b|\bNull[A-Z]|new_plugin", name)
        self.assertIn("KMUX_PLUGIN(kmux::my_gpu::MyGpuBackend)", texts["plugin.cpp"])
        self.assertEqual(json.loads(texts["plugin.json.in"])["name"], "my_gpu")

    def test_every_source_is_built(self):
        run("my_gpu", self.folder)
        texts = self.texts("my_gpu")
        listed = re.fullmatch(r"kmux_add_plugin\(my_gpu SOURCES ([a-z_. ]+)\)\n", texts["CMakeLists.txt"])
        self.assertEqual(set(listed[1].split()), {name for name in texts if name.endswith(".cpp")})

    def test_table_and_manifest_say_the_same(self):
        run("my_gpu", self.folder)
        texts = self.texts("my_gpu")
        manifest = json.loads(texts["plugin.json.in"])
        info = re.search(r'kInfo\{"(.*?)", "(.*?)", kDLExtDev\}', texts["backend.h"])
        self.assertEqual(info.groups(), (manifest["name"], manifest["version"]))
        for words in (manifest["dialects"], manifest["features"]):
            self.assertIn(", ".join(f'"{word}"' for word in words), re.sub(r"\s+", " ", texts["backend.cpp"]))

    def test_refuses_bad_names(self):
        for name in ("", "MyGpu", "my-gpu", "../x", "1st", "_x", "a__b", "class", "null", "kmux", "x" * 33):
            result = run(name, self.folder)
            self.assertEqual(result.returncode, 1, name)
            self.assertIn("new_plugin.py: '", result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_refuses_to_overwrite(self):
        run("my_gpu", self.folder)
        (self.folder / "my_gpu" / "plugin.cpp").write_text("work of weeks")
        result = run("my_gpu", self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("exists already", result.stderr)
        self.assertEqual((self.folder / "my_gpu" / "plugin.cpp").read_text(), "work of weeks")

    def test_refuses_a_folder_that_is_not_there(self):
        result = run("my_gpu", self.folder / "absent")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is no folder", result.stderr)


if __name__ == "__main__":
    unittest.main()
