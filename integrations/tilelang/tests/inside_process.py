"""kmux inside TileLang, seen from a process as a whole: how it begins, and what the next one finds.

Exits with 77 (a counted skip) where TileLang or kmux's library cannot be imported.
"""

import os
import subprocess
import sys
import tempfile
import unittest

import kmux_paths  # first: the other is found by it

import kmux


class Beginning(unittest.TestCase):
    def test_by_the_environment_comes_with_the_import(self):
        # What Python does at its start with the folder of installed packages, and its .pth files.
        script = f"import site; site.addsitedir({str(kmux_paths.TESTS.parent)!r}); import tilelang, kmux_tilelang; "
        script += "print(tilelang.__name__, kmux_tilelang.report())"
        for variable, code, text in (("1", 0, "tilelang kmux compiled 0 kernels"), ("maybe", 1, "is not understood")):
            done = _python(script, KMUX_TILELANG=variable)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stdout + done.stderr)

    def test_takes_either_order_of_imports(self):
        for first, second in (("kmux", "tilelang"), ("tilelang", "kmux")):
            done = _python(f"import {first}, {second}, tvm_ffi; print(tvm_ffi.get_global_func('kmux.version')())")
            self.assertEqual(done.stdout.strip(), kmux.__version__, done.stderr)


class NextProcess(unittest.TestCase):
    def test_lowers_nothing_again(self):
        script = f"""
import sys, tilelang, torch, kmux_tilelang
from inside_kernels import add
kmux_tilelang.install(strict=True)
if {{lowered}}:
    sys.modules["tilelang.engine.lower"].lower_to_host_device_ir = None
kernel = tilelang.compile(add(56), out_idx=[2], target="c", execution_backend="kmux")
assert kernel(torch.ones(56), torch.ones(56))[0] == 2
print("answers", len(kernel.get_kernel_source().rstrip()), len(kernel.params), kernel.out_idx)
"""
        with tempfile.TemporaryDirectory() as folder:
            answers = [_python(script.format(lowered=again), KMUX_CACHE_DIR=folder) for again in (False, True)]
        for answer in answers:
            self.assertEqual(answer.returncode, 0, answer.stderr)
        said = [answer.stdout.splitlines()[-1] for answer in answers]
        self.assertEqual(said[0], said[1])
        self.assertIn("answers", said[0])


def _python(script: str, **environment: str) -> subprocess.CompletedProcess:
    variables = {name: value for name, value in os.environ.items() if name != "KMUX_DISABLE_CACHE"}
    path = [os.environ.get("PYTHONPATH", ""), *kmux_paths.PATHS]  # a release of TileLang may stand first
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    return subprocess.run(
        [sys.executable, "-c", script], env=variables | environment, capture_output=True, text=True, timeout=120, check=False
    )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
