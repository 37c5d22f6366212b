"""The driver's peer over a driver without a device, which computes on the host or does what is wrong."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import built_library
import runtime_compiler

HERE = pathlib.Path(__file__).resolve().parent


@unittest.skipUnless(importlib.util.find_spec("numpy"), "needs NumPy (it is not installed)")
@unittest.skipIf(built_library.missing(), f"needs a C compiler ({built_library.missing()})")
@unittest.skipIf(runtime_compiler.missing(), f"needs NVRTC ({runtime_compiler.missing()})")
class Driver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        library = pathlib.Path(folder.name) / "libcuda.so.1"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, HERE / "saxpy_driver.c"], check=True)

    def answers(self, *requests, fault="", peer="driver, from C"):
        path = os.pathsep.join(filter(None, (self.folder, os.environ.get("LD_LIBRARY_PATH"))))
        ran = subprocess.run(
            [sys.executable, "-B", HERE.parent / "worker.py", peer],
            input="".join(json.dumps(request) + "\n" for request in requests),
            env={**os.environ, "LD_LIBRARY_PATH": path, "SAXPY_DRIVER_FAULT": fault},
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def test_is_measured_in_each_way(self):
        bursts = [{"do": what, "n": 1000, "count": 5} for what in ("call", "wait", "work")]
        start = {"do": "start", "n": 1000}  # no multiple of the block
        for peer in ("driver, from C", "driver, through ctypes"):
            answers = self.answers({"do": "missing"}, {"do": "open"}, start, {"do": "finish"}, *bursts, peer=peer)
            self.assertEqual((answers[0], answers[3]), ({"missing": ""}, {}))
            self.assertRegex(answers[1]["version"], r"^CUDA 13\.0, NVRTC \d+\.\d+$")
            for answer in (answers[2], *answers[4:]):
                self.assertGreater(answer["ns"], 0)

    def test_is_wrong_if_its_result_is(self):
        answer = self.answers({"do": "open"}, {"do": "start", "n": 64}, fault="result")[1]
        self.assertEqual(answer, {"wrong": "64 of 64 elements differ: z[0] is 1.0, not 0.0"})

    def test_fails_with_the_driver(self):
        answer = self.answers({"do": "open"}, {"do": "start", "n": 64}, fault="launch")[1]
        self.assertEqual(answer, {"failed": "RuntimeError: cuLaunchKernel answers 719"})


if __name__ == "__main__":
    unittest.main()
