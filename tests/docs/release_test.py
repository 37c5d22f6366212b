#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""release_test.py KMUX BUILD PYTHON: the version and the licence of a release are the same wherever they stand."""
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KMUX, BUILD, PYTHON = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
PACKAGES = ("integrations/tvm_ffi", "integrations/tilelang")
LICENCE = "Apache-2.0"


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def project_of(package):
    return tomllib.loads(text_of(f"{package}/pyproject.toml"))


def version_of(package):
    """The version that the package is built with: its own, or that of the file which it names."""
    project = project_of(package)
    if "version" in project["project"]:
        return project["project"]["version"]
    source = project["tool"]["hatch"]["version"]
    return re.search(source["pattern"], text_of(pathlib.Path(package, source["path"])))["version"]


HEADER = text_of("core/runtime/system/include/kmux/version.h")
VERSION = re.search(r'#define KMUX_VERSION "(.*)"', HEADER)[1]


class Version(unittest.TestCase):
    def test_of_the_header_is_that_of_its_parts(self):
        parts = [re.search(rf"#define KMUX_VERSION_{part} (\d+)", HEADER)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(".".join(parts), VERSION)

    def test_of_the_build_is_that_of_the_header(self):
        cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.M)[1], VERSION)
        config = (BUILD / "kmux-config-version.cmake").read_text(encoding="utf-8")
        self.assertEqual(re.search(r'set\(PACKAGE_VERSION "(.*)"\)', config)[1], VERSION)

    def test_of_the_command_is_that_of_the_header(self):
        done = subprocess.run([KMUX, "--version"], capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), f"kmux {VERSION}")

    def test_of_python_packages_is_that_of_the_header(self):
        for package in PACKAGES:
            self.assertEqual(version_of(package), VERSION, package)
        self.assertIn(f'__version__ = "{VERSION}"', text_of("integrations/tilelang/kmux_tilelang/__init__.py").splitlines())

    def test_of_the_imported_package_is_that_of_the_header(self):
        library = BUILD / "lib/libkmux_tvm_ffi.so"
        if not library.exists():
            self.skipTest("needs TVM-FFI (this build has no libkmux_tvm_ffi.so)")
        if subprocess.run([PYTHON, "-c", "import tvm_ffi"], capture_output=True).returncode != 0:
            self.skipTest(f"needs TVM-FFI ({PYTHON} has none)")
        environment = {**os.environ, "KMUX_TVM_FFI_LIBRARY": str(library), "PYTHONPATH": str(ROOT / "integrations/tvm_ffi/python")}
        done = subprocess.run([PYTHON, "-B", "-c", "import kmux; print(kmux.__version__)"], capture_output=True, text=True, env=environment)
        if "ASan runtime does not come first" in done.stderr:
            self.skipTest("needs a Python that begins with the sanitizer (the library has one)")
        self.assertEqual(done.stdout.strip(), VERSION, done.stderr)

    def test_that_readme_asks_for_is_compatible(self):
        wanted = re.search(r"find_package\(kmux ([\d.]+) REQUIRED\)", text_of("docs/cpp.md"))[1]
        self.assertEqual(VERSION.split(".")[:2], wanted.split("."))


class Licence(unittest.TestCase):
    def test_is_there_in_full(self):
        text = text_of("LICENSE")
        self.assertIn("Version 2.0, January 2004", text)
        self.assertIn("END OF TERMS AND CONDITIONS", text)

    def test_is_named_by_the_packages(self):
        for package in PACKAGES:
            project = project_of(package)["project"]
            self.assertEqual((project["license"], project["license-files"]), (LICENCE, ["LICENSE"]), package)
            self.assertEqual(text_of(f"{package}/LICENSE"), text_of("LICENSE"))
        for package in (BUILD / "debian").glob("*"):
            if package.name in ("copyright", "METADATA"):
                self.assertRegex(package.read_text(encoding="utf-8"), rf"License(-Expression)?: {LICENCE}\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
