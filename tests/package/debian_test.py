#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""debian_test.py SOURCE BUILD CPACK CMAKE PYTHON: makes the packages for Debian, installs them below a folder, and removes them."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
CPACK, CMAKE, PYTHON = sys.argv[3:6]
# Debian's own packages, of which dpkg is told that they are there.
PRESENT = {"libc6": "2.36-9", "libstdc++6": "12.2.0-14", "libgcc-s1": "12.2.0-14", "python3": "3.11.2-1"}
ADMIN = "var/lib/dpkg"


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], cwd=BUILD, capture_output=True, text=True, env={**os.environ, **environment})


def dpkg(root, *words):
    """Runs dpkg for the packages below `root`; in a namespace of its own where this user is not root."""
    alone = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
    return run(*alone, "dpkg", f"--root={root}", "--force-bad-path", *words, PATH="/usr/sbin:/usr/bin:/sbin:/bin")


def make_root(root, architecture):
    for name in ("info", "updates", "triggers"):
        (root / ADMIN / name).mkdir(parents=True)
    status = [f"Package: {name}\nStatus: install ok installed\nVersion: {version}\nArchitecture: {architecture}\n"
              f"Maintainer: Debian\nDescription: of Debian\n" for name, version in PRESENT.items()]
    (root / ADMIN / "status").write_text("\n".join(status))
    for name in PRESENT:
        (root / ADMIN / f"info/{name}.list").touch()


def files_in(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir() and ADMIN not in str(path.relative_to(root))}


def field(package, name):
    return run("dpkg-deb", "--field", package, name).stdout.strip()


def contents(package):
    lines = run("dpkg-deb", "--contents", package).stdout.splitlines()
    return {line.split()[5].removeprefix("./") for line in lines if not line.startswith("d")}


@unittest.skipUnless(shutil.which("dpkg"), "needs dpkg (this is not Debian)")
class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="kmux-debian-")))
        for file in (BUILD / "package").glob("*.deb"):
            file.unlink()
        made = run(CPACK, "-G", "DEB", "--config", BUILD / "CPackConfig.cmake")
        assert made.returncode == 0, made.stdout + made.stderr
        cls.packages = {field(file, "Package"): file for file in (BUILD / "package").glob("*.deb")}
        cls.root = folder / "root"
        make_root(cls.root, field(cls.packages["kmux"], "Architecture"))
        cls.installed = dpkg(cls.root, "--install", *cls.packages.values())

    def kmux(self, *words):
        return run(self.root / "usr/bin/kmux", *words, KMUX_DISABLE_CACHE="1")

    def test_are_the_runtime_each_plugin_the_headers_and_python(self):
        plugins = {file.name.split("_", 1)[1].removesuffix(".so") for file in (BUILD / "lib/kmux/plugins").glob("kmux_*.so")}
        expected = {f"kmux-plugin-{name}" for name in plugins - {"cpu_clang"}} | {"kmux", "kmux-dev"}
        if (BUILD / "lib/libkmux_tvm_ffi.so").exists():
            expected.add("python3-kmux")
        self.assertEqual(set(self.packages), expected)

    def test_have_one_version_and_what_they_need(self):
        for name, file in self.packages.items():
            self.assertEqual(field(file, "Version"), field(self.packages["kmux"], "Version"))
            needed = field(file, "Depends")
            self.assertIn("libstdc++6" if name == "kmux" else f"kmux (= {field(file, 'Version')})", needed, name)

    def test_share_no_file(self):
        owners = {}
        for name, file in self.packages.items():
            for path in contents(file):
                self.assertEqual(owners.setdefault(path, name), name, path)

    def test_divide_what_there_is(self):
        held = {name: contents(file) for name, file in self.packages.items()}
        self.assertTrue({"usr/lib/libkmux.so.0", "usr/bin/kmux", "usr/libexec/kmux/kmux-worker", "usr/share/doc/kmux/LICENSE",
                         "usr/share/doc/kmux/copyright"} <= held["kmux"], held["kmux"])
        self.assertFalse([path for path in held["kmux"] if "include" in path or "plugins" in path or "bundled" in path])
        self.assertIn("usr/lib/kmux/plugins/kmux_cpu_clang.so", held["kmux-plugin-cpu"])
        self.assertTrue({"usr/include/kmux/kmux.hpp", "usr/lib/libkmux.so", "usr/lib/cmake/kmux/kmux-config.cmake"} <= held["kmux-dev"])

    def test_can_be_installed(self):
        self.assertEqual(self.installed.returncode, 0, self.installed.stdout + self.installed.stderr)

    def test_run_where_they_are_installed(self):
        version = self.kmux("--version")
        self.assertIn(field(self.packages["kmux"], "Version"), version.stdout, version.stderr)
        verified = self.kmux("plugins", "--verify")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        program = self.root / "usr/share/doc/kmux/examples/programs/scale/scale.kmux.json"
        done = self.kmux("run", program, "--backend", "cpu", "--in", "x=ones", "--symbol", "n=8", "--scalar", "factor=2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_are_found_by_find_package(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES CXX)\nfind_package(kmux 0.1 REQUIRED)\n"
                "get_target_property(where kmux::runtime IMPORTED_LOCATION_RELEASE)\nmessage(STATUS \"runtime ${where}\")\n")
            done = run(CMAKE, "-S", folder, "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={self.root}/usr")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"runtime {self.root}/usr/lib/libkmux.so", done.stdout)

    def test_have_the_python_package(self):
        if run(PYTHON, "-c", "import tvm_ffi, typing_extensions").returncode != 0:
            self.skipTest("needs TVM-FFI (the virtual environment has none)")
        packages = self.root / "usr/lib/python3/dist-packages"
        script = "import importlib.metadata, kmux; print(kmux.__version__, importlib.metadata.version('kmux'), kmux.__file__)"
        done = run(PYTHON, "-B", "-c", script, PYTHONPATH=str(packages), KMUX_TVM_FFI_LIBRARY="")
        version = field(self.packages["kmux"], "Version")
        self.assertEqual(done.stdout.split(), [version, version, str(packages / "kmux/__init__.py")], done.stderr)

    def test_leave_nothing_when_removed(self):
        with tempfile.TemporaryDirectory(prefix="kmux-debian-") as folder:
            root = pathlib.Path(folder)
            make_root(root, field(self.packages["kmux"], "Architecture"))
            self.assertEqual(dpkg(root, "--install", *self.packages.values()).returncode, 0)
            self.assertIn("usr/bin/kmux", files_in(root))
            refused = dpkg(root, "--remove", "kmux")
            self.assertNotEqual(refused.returncode, 0)
            self.assertRegex(refused.stderr, re.compile("depends on kmux"))
            done = dpkg(root, "--purge", *self.packages)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({path for path in files_in(root) if path.startswith("usr")}, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
