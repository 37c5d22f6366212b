#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""partial_test.py BUILD CMAKE: installs from a build tree that has what `./kmux.sh demo` builds, and no more."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CMAKE = pathlib.Path(sys.argv[1]), sys.argv[2]
DEMO = {"bin/kmux", "libexec/kmux/kmux-worker", "lib/kmux/plugins/kmux_cpu.so", "lib/kmux/plugins/kmux_cpu_clang.so"}


def scripts(script):
    """The script of an installation, and those that it includes."""
    text = script.read_text(encoding="utf-8")
    yield script, text
    for name in re.findall(r'^ *include\("(.*cmake_install\.cmake)"\)', text, re.M):
        yield from scripts(pathlib.Path(name))


def products():
    """The files that an installation may leave out, below BUILD."""
    text = (BUILD / "cmake_install.cmake").read_text(encoding="utf-8")
    return {os.path.relpath(file, BUILD) for file in re.search(r'set\(built "(.*?)"\)', text)[1].split(";")}


def copy_without(left_out, folder):
    """What an installation from BUILD reads, but for `left_out`, in `folder`."""
    for script, text in scripts(BUILD / "cmake_install.cmake"):
        copy = folder / script.relative_to(BUILD)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text.replace(str(BUILD), str(folder)), encoding="utf-8")
        for name in re.findall(rf'{re.escape(str(BUILD))}/([^"; ]+)', text):
            source = BUILD / name
            if source.is_file() and name not in left_out and not (folder / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, folder / name, follow_symlinks=False)


class Partial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="kmux-partial-")))
        cls.left_out = products() - DEMO
        without = cls.left_out | {name.replace(".so", ".conformance.txt") for name in cls.left_out}
        copy_without(without, folder / "build")
        cls.prefix = folder / "prefix"
        command = [CMAKE, f"-DCMAKE_INSTALL_PREFIX={cls.prefix}", "-P", folder / "build/cmake_install.cmake"]
        cls.done = subprocess.run(command, capture_output=True, text=True)

    def test_succeeds(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def test_names_what_is_left_out_and_the_command_that_builds_it(self):
        said = re.search(r"kmux: left out, as not built: (.*)\. Build them first: cmake --build \S+ --target kmux_product", self.done.stdout)
        self.assertIsNotNone(said, self.done.stdout)
        self.assertEqual(set(said[1].split(", ")), {pathlib.Path(name).name for name in self.left_out})

    def test_installs_what_was_built_alone(self):
        found = {path.name for path in (self.prefix / "lib/kmux/plugins").iterdir()}
        expected = {pathlib.Path(name).name for name in products() & DEMO if "plugins" in name}
        self.assertTrue(expected <= found, found)
        self.assertEqual({name.partition(".")[0] for name in found}, {name.partition(".")[0] for name in expected})

    def test_runs(self):
        done = subprocess.run([self.prefix / "bin/kmux", "plugins", "--verify"], capture_output=True, text=True,
                              env={**os.environ, "KMUX_DISABLE_CACHE": "1"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
