# SPDX-License-Identifier: Apache-2.0
"""Python ends while daemon threads are in the library."""

import subprocess
import sys
import unittest

_SCRIPT = """
import atexit, sys, threading, time
import numpy as np
late = threading.Event()
{before}
import kmux
source = "void f(const float* x, float* y, long long n) {{ for (long long i = 0; i < n; ++i) y[i] = x[i]; }}"
kernel = kmux.kernel(source, "f(x: f32[n], out y: f32[n])", args="x, y, n: i64", dialect="c", target="cpu")
x, program = np.ones(4, "float32"), kernel.program
kernel(x)
def use():
    while not late.is_set():
        {call}
threads = [threading.Thread(target=use, daemon=True) for _ in range(3)]
for each in threads:
    each.start()
time.sleep(0.1)
"""
_CALLS = (
    "kernel(x)",
    "kernel.launch(x)",
    "kmux.compile(program, target='cpu', use_cache=False)",
    "kmux.par_compile([program], target='cpu', progress=lambda event: None)",
    "kmux.resolve(program).backend",
    "program.digest",
    "kmux.plugins()",
)


def _run(call, before=""):
    script = _SCRIPT.format(call=call, before=before)
    return subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=60)


class ProcessEnd(unittest.TestCase):
    def test_daemon_threads_in_the_library_end_with_the_process(self):
        for call in _CALLS:
            done = _run(call)
            self.assertEqual((done.returncode, done.stderr), (0, ""), call)

    def test_functions_of_atexit_may_wait_for_threads(self):
        wait = "threads = []\n@atexit.register\ndef wait():\n    late.set()\n    [each.join() for each in threads]\n    print('waited')"
        done = _run("kernel(x)", before=wait)
        self.assertEqual((done.returncode, done.stdout), (0, "waited\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
