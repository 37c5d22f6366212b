"""kmux inside TileLang, seen from a process as a whole: how it begins, and what the next one finds.

Exits with 77 (a counted skip) where TileLang or kmux's library cannot be imported.
"""

import functools
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import kmux_paths  # first: the others are found by it

import kmux
import torch_process


class Beginning(unittest.TestCase):
    def test_by_the_environment_comes_with_the_import(self):
        # What Python does at its start with the folder of installed packages, and its .pth files.
        script = f"import site; site.addsitedir({str(kmux_paths.TESTS.parent)!r}); import tilelang, kmux_tilelang; "
        script += "print(tilelang.__name__, kmux_tilelang.report())"
        for variable, code, text in (("1", 0, "tilelang kmux compiled 0 kernels"), ("maybe", 1, "is not understood")):
            done = _python(script, KMUX_TILELANG=variable)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stdout + done.stderr)

    def test_by_the_environment_waits_for_the_import_not_for_a_question(self):
        script = f"""
import importlib.util, site; site.addsitedir({str(kmux_paths.TESTS.parent)!r})
print("asked for", importlib.util.find_spec("tilelang").name)
import tilelang
from inside_kernels import add
print("ran on", tilelang.compile(add(61), target="c").execution_backend)
"""
        done = _with_torch(script, KMUX_TILELANG="1")
        self.assertRegex(done.stdout, r"(?s)asked for tilelang\n.*ran on kmux\n", done.stderr)

    def test_takes_either_order_of_imports(self):
        for first, second in (("kmux", "tilelang"), ("tilelang", "kmux")):
            done = _python(f"import {first}, {second}, tvm_ffi; print(tvm_ffi.get_global_func('kmux.version')())")
            self.assertEqual(done.stdout.strip(), kmux.__version__, done.stderr)

    def test_by_the_environment_can_be_strict(self):
        script = f"""
import site; site.addsitedir({str(kmux_paths.TESTS.parent)!r})
import tilelang, kmux
from unittest import mock
from inside_kernels import add
from kmux_tilelang.backend import jit_kernel
with mock.patch.object(jit_kernel, "program_of", side_effect=kmux.UnsupportedError("no such launch")):
    print("ran on", tilelang.compile(add(57), target="c").execution_backend)
"""
        for word, said in (("strict", "kernel 'add' cannot run with kmux: no such launch"), ("1", "ran on cython")):
            done = _with_torch(script, KMUX_TILELANG=word, TILELANG_DISABLE_CACHE="1")
            self.assertIn(said, done.stdout + done.stderr)
            self.assertEqual(done.returncode, 1 if word == "strict" else 0)

    def test_takes_the_backend_that_the_environment_names(self):
        script = """
import kmux_tilelang, tilelang, torch
from inside_kernels import add
kmux_tilelang.install(strict=True)
kernel = tilelang.compile(add(58), out_idx=-1, target="c")
print("ran on", kernel.execution_backend, kernel.adapter.kernel.backend, kernel(torch.ones(58), torch.ones(58))[0].item())
"""
        for name in ("kmux", "kmux:cpu"):
            done = _with_torch(script, TILELANG_EXECUTION_BACKEND=name)
            self.assertIn(f"ran on {name} cpu 2.0", done.stdout, done.stderr)

    def test_of_pytest_runs_its_kernels_through_kmux(self):
        test = """
import tilelang, torch
from inside_kernels import add
def test_add():
    kernel = tilelang.compile(add(59), out_idx=-1, target="c")
    assert kernel.execution_backend == "kmux" and kernel(torch.ones(59), torch.ones(59))[0] == 2
def test_add_by_name():
    assert tilelang.compile(add(60), target="c", execution_backend="cython").execution_backend == "cython"
"""
        for workers in ([], ["-n", "2"]):
            with self.subTest(workers=workers), tempfile.TemporaryDirectory() as folder:
                Path(folder, "test_it.py").write_text(test)
                report = Path(folder, "report.jsonl")
                words = ["-q", "-p", "no:cacheprovider", "-p", "kmux_tilelang.pytest", f"--kmux-report={report}", *workers, folder]
                done = _with_torch(f"import sys, pytest; sys.exit(pytest.main({words!r}))", KMUX_TILELANG="0")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("kmux compiled 1 kernels (1 on cpu)", done.stdout)
                self.assertEqual(json.loads(report.read_text()), {"compiled": {"cpu": 1}, "fallbacks": {}})


class Torch(unittest.TestCase):
    def test_may_come_after_kmux(self):
        script = """
import sys, kmux
assert "torch" not in sys.modules
import torch, tvm_ffi
import kmux_tilelang, tilelang
from inside_kernels import add
kmux_tilelang.install(strict=True, default=True)
result = tilelang.compile(add(57), out_idx=-1, target="c")(torch.ones(57), torch.ones(57))
print(type(result), result[0].item(), tvm_ffi.convert(torch.bfloat16))
"""
        done = _python(script)
        self.assertIn("<class 'torch.Tensor'> 2.0 bfloat16", done.stdout, done.stderr)


class Wheel(unittest.TestCase):
    """What ./kmux.sh wheel makes of this package."""

    def test_brings_what_begins_with_python(self):
        builder = kmux_paths.TESTS.parents[2] / ".venv/bin/python"
        made = subprocess.run([str(builder), "-c", "import hatchling"], capture_output=True, check=False) if builder.exists() else None
        if made is None or made.returncode:
            self.skipTest("needs hatchling (there is none in .venv)")
        with tempfile.TemporaryDirectory() as folder:
            words = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps"]
            done = subprocess.run(
                [str(builder), *words, "--wheel-dir", folder, str(kmux_paths.TESTS.parent)], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            (wheel,) = Path(folder).glob("kmux_tilelang-*-py3-none-any.whl")
            with zipfile.ZipFile(wheel) as packed:
                names = packed.namelist()
                packed.extractall(f"{folder}/site")
            self.assertIn("kmux_tilelang.pth", names)
            self.assertIn("kmux_tilelang/backend/adapter.py", names)
            self.assertFalse([name for name in names if name.startswith("tests/")])
            script = f"import site; site.addsitedir('{folder}/site'); import tilelang, kmux_tilelang; "
            script += "print(kmux_tilelang.__file__, kmux_tilelang.report())"
            done = _python(script, paths=kmux_paths.PATHS[2:], cwd=folder, KMUX_TILELANG="1")
        self.assertIn(f"{folder}/site/kmux_tilelang/__init__.py kmux compiled 0 kernels", done.stdout, done.stderr)


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
            answers = [_with_torch(script.format(lowered=again), KMUX_CACHE_DIR=folder) for again in (False, True)]
        for answer in answers:
            self.assertEqual(answer.returncode, 0, answer.stderr)
        said = [answer.stdout.splitlines()[-1] for answer in answers]
        self.assertEqual(said[0], said[1])
        self.assertIn("answers", said[0])


def _variables(paths: list[str], environment: dict[str, str]) -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name != "KMUX_DISABLE_CACHE"}
    path = [os.environ.get("PYTHONPATH", ""), *paths]  # a release of TileLang may stand first
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    return variables | environment


def _python(
    script: str, *, paths: list[str] = kmux_paths.PATHS, cwd: str | None = None, **environment: str
) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", script],
        env=_variables(paths, environment), cwd=cwd, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@functools.lru_cache(maxsize=None)
def _torch_processes() -> torch_process.TorchProcesses:
    return torch_process.TorchProcesses({name: value for name, value in os.environ.items() if name != "PYTHONPATH"})


def _with_torch(script: str, **environment: str) -> subprocess.CompletedProcess:
    """The same, where the order of imports does not matter: torch is imported once for all of these."""
    return _torch_processes().run(script, _variables(kmux_paths.PATHS, environment))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
