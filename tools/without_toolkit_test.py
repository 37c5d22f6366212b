#!/usr/bin/env python3
"""Tests without_toolkit.sh: what its command finds of a toolkit, and what the rest of the machine keeps."""
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "without_toolkit.sh"
HOME = pathlib.Path("/usr/local/cuda")
MAY = subprocess.run(["bash", TOOL, "true"], capture_output=True, text=True, check=False)


@unittest.skipIf(MAY.returncode, f"needs leave to mount ({MAY.stderr.strip()})")
class WithoutToolkit(unittest.TestCase):
    def run_hidden(self, script, **variables):
        command = ["bash", TOOL, "bash", "-c", script]
        return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)

    def test_hides_nvcc_and_keeps_the_rest_of_path(self):
        with tempfile.TemporaryDirectory() as name:
            for program in ("with/nvcc", "beside/other"):
                path = pathlib.Path(name) / program
                path.parent.mkdir()
                path.write_text("#!/bin/sh\n")
                path.chmod(0o755)
            path = f"{name}/with:{name}/beside:{os.environ['PATH']}"
            ran = self.run_hidden("command -v nvcc; command -v other", PATH=path)
        self.assertEqual((ran.stdout, ran.stderr), (f"{name}/beside/other\n", ""))

    def test_hides_what_variables_name(self):
        ran = self.run_hidden('echo "[${KMUX_CUDA_HOME:-}${CUDA_HOME:-}]"', KMUX_CUDA_HOME="/x", CUDA_HOME="/y")
        self.assertEqual(ran.stdout, "[]\n")

    def test_empties_the_usual_folder_for_its_command_alone(self):
        before = sorted(os.listdir(HOME)) if HOME.is_dir() else []
        ran = self.run_hidden(f"ls {HOME} 2>/dev/null | wc -l")
        self.assertEqual(ran.stdout.strip(), "0")
        self.assertEqual(sorted(os.listdir(HOME)) if HOME.is_dir() else [], before)

    def test_hides_what_installers_copied_and_keeps_the_rest(self):
        for own, copied in (("include", "include"), ("bin", "bin"), ("lib64", "lib")):
            toolkit, folder = HOME / own, pathlib.Path("/usr/local") / copied
            rest = sorted(entry.name for entry in folder.iterdir() if not (toolkit / entry.name).exists())
            with self.subTest(folder=folder):
                self.assertEqual(self.run_hidden(f"LC_ALL=C ls -A {folder}").stdout.split("\n")[:-1], rest)

    def test_no_compiler_and_no_loader_finds_a_part(self):
        found = self.run_hidden("echo '#include <cuda.h>' | c++ -E -x c++ - >/dev/null 2>&1 && echo cuda.h; command -v ptxas;"
                                "python3 -c 'import ctypes; ctypes.CDLL(\"libnvrtc.so.13\")' 2>/dev/null && echo NVRTC")
        self.assertEqual(found.stdout, "")

    def test_its_command_is_the_same_user_and_its_status_counts(self):
        ran = self.run_hidden("id -u; exit 7")
        self.assertEqual((ran.stdout, ran.returncode), (f"{os.geteuid()}\n", 7))


if __name__ == "__main__":
    unittest.main()
