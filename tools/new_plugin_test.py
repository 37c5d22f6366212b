#!/usr/bin/env python3
"""Tests new_plugin.py: names, refusals, and what the copy holds. That it builds and runs is what tests/install shows."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "new_plugin.py"
ROOT = TOOL.parent.parent
TEMPLATE = ROOT / "tests" / "fakes" / "null"


def run(name, folder=None, tool=TOOL):
    into = [] if folder is None else ["--into", str(folder)]
    return subprocess.run([sys.executable, "-B", str(tool), name, *into], capture_output=True, text=True)


class NewPlugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copied_tree(self):
        """The tool and its template in a tree that may be written to."""
        tree = self.folder / "tree"
        shutil.copytree(TEMPLATE, tree / "tests/fakes/null")
        (tree / "tools").mkdir()
        shutil.copy(TOOL, tree / "tools")
        return tree

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

    def test_help_names_the_command(self):
        self.assertIn("usage: kmux new-plugin ", run("--help").stdout)

    def test_every_source_is_built(self):
        run("my_gpu", self.folder)
        texts = self.texts("my_gpu")
        listed = re.search(r"^kmux_add_plugin\(my_gpu SOURCES ([a-z_. ]+)\)\n", texts["CMakeLists.txt"], re.M)
        self.assertEqual(set(listed[1].split()), {name for name in texts if name.endswith(".cpp")})

    # That it configures is shown by tests/install (C3.11).
    def test_is_a_project_of_its_own_outside_a_tree(self):
        run("my_gpu", self.folder)
        version = re.search(r'KMUX_VERSION "(\d+\.\d+)', (ROOT / "core/runtime/system/include/kmux/version.h").read_text())[1]
        project = self.texts("my_gpu")["CMakeLists.txt"]
        self.assertRegex(project, r"^cmake_minimum_required\(.*\)\nproject\(my_gpu VERSION 0\.1\.0 LANGUAGES C CXX\)")
        self.assertEqual(json.loads(self.texts("my_gpu")["plugin.json.in"])["version"], "@PROJECT_VERSION@")
        self.assertIn(f"\nfind_package(kmux {version} REQUIRED)", project)

    def test_is_a_folder_of_plugins_inside_a_tree(self):
        tree = self.copied_tree()
        (tree / "plugins").mkdir()
        self.assertEqual(run("my_gpu", tool=tree / "tools/new_plugin.py").returncode, 0)
        self.assertTrue((tree / "plugins/my_gpu/CMakeLists.txt").read_text().startswith("kmux_add_plugin(my_gpu "))
        manifest = json.loads((tree / "plugins/my_gpu/plugin.json.in").read_text())
        self.assertEqual(manifest["version"], json.loads((TEMPLATE / "plugin.json.in").read_text())["version"])

    def test_what_the_manifest_says_is_said_once(self):
        run("my_gpu", self.folder)
        texts = self.texts("my_gpu")
        manifest = json.loads(texts["plugin.json.in"])
        code = "".join(text for name, text in texts.items() if name.endswith((".h", ".cpp")))
        self.assertIn('#include "my_gpu/manifest.h"', code)
        for word in [manifest["version"], *manifest["targets"], *manifest["dialects"], *manifest["features"]]:
            self.assertNotIn(f'"{word}"', code)

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
        self.assertIn("is not a folder", result.stderr)


if __name__ == "__main__":
    unittest.main()
