import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

import kmux
from kmux._library import functions

LIBRARY = os.environ["KMUX_TVM_FFI_LIBRARY"]
PROGRAM = os.path.join(os.environ["KMUX_TEST_PROGRAMS"], "scale", "scale.kmux.json")


def run(script, **environment):
    words = [sys.executable, "-B", "-c", textwrap.dedent(script)]
    return subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)


class Library(unittest.TestCase):
    def test_has_a_version(self):
        self.assertRegex(kmux.__version__, r"^\d+\.\d+\.\d+$")

    def test_lists_devices(self):
        found = [device for device in kmux.devices() if device.backend == "cpu"]
        self.assertEqual([str(device) for device in found], ["cpu:0"])
        self.assertTrue(found[0].name and found[0].arch and found[0].properties["cores"] >= 1)
        kernel = kmux.compile(PROGRAM, execution_backend=found[0].backend, device=found[0].ordinal)
        self.assertEqual(str(kernel.device), "cpu:0")

    def test_its_functions_release_the_gil(self):
        self.assertTrue(functions.compile.release_gil)
        self.assertTrue(functions.par_compile.release_gil)
        done = run(
            "from kmux._library import functions; print(functions.compile.release_gil)",
            TVM_FFI_RELEASE_GIL_BY_DEFAULT="0",
        )
        self.assertEqual(done.stdout.strip(), "True", done.stderr)

    def test_is_used_without_the_package(self):
        done = run(f"""
            import numpy, tvm_ffi
            module = tvm_ffi.load_module({LIBRARY!r})
            names = ("load_program", "compile", "kernel_source")
            load, compile, source = (tvm_ffi.get_global_func("kmux." + name) for name in names)
            kernel = compile(load({PROGRAM!r}), {{"target": "cpu"}})
            del module
            assert "void scale" in source(kernel)
            print(numpy.from_dlpack(kernel(numpy.ones(2, "float32"), 3.0)))
            try:
                load("/nowhere.kmux.json")
            except ValueError as error:
                print(error)
            """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("[3. 3.]", done.stdout)
        self.assertIn("cannot read '/nowhere.kmux.json'", done.stdout)

    def test_leaves_torch_to_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            torch = pathlib.Path(folder, "torch")
            torch.mkdir()
            (torch / "__init__.py").write_text("from . import cuda, version\nclass Tensor:\n    __dlpack_c_exchange_api__ = 1\n")
            (torch / "cuda.py").write_text("class Stream: pass\nis_available = lambda: True\n")
            (torch / "version.py").write_text("")
            done = run(
                """
                import importlib.util, sys, threading, kmux, tvm_ffi
                assert "torch" not in sys.modules and tvm_ffi.core.torch is None
                assert importlib.util.find_spec("torch").origin  # as libraries ask whether it is installed
                import torch
                assert torch.__spec__.loader is torch.__loader__
                assert torch.__spec__.loader.get_filename() == torch.__file__
                print(tvm_ffi.core.torch is torch, hasattr(torch.cuda.Stream, "__cuda_stream__"), tvm_ffi.use_torch_stream)
                """,
                PYTHONPATH=os.pathsep.join([folder, os.environ["PYTHONPATH"]]),
            )
            self.assertIn("True True <function use_torch_stream", done.stdout, done.stderr)

    def test_leaves_numpy_to_the_program(self):
        done = run(f"""
            import sys, kmux, tvm_ffi
            assert not {{"numpy", "ml_dtypes"}} & set(sys.modules) and tvm_ffi.core.numpy is None
            kernel = kmux.compile({PROGRAM!r}, target="cpu")  # made before
            import numpy
            x = numpy.ones(2, "float32")
            print(kernel(x, 3.0), type(kernel(x, 3.0)) is numpy.ndarray)
            print(tvm_ffi.dtype(x.dtype), tvm_ffi.convert(x.dtype) == "float32", tvm_ffi.from_dlpack(x).dtype)
            """)
        self.assertEqual(done.stdout, "[3. 3.] True\nfloat32 True float32\n", done.stderr)

    def test_is_imported_where_numpy_is_blocked(self):
        done = run("import sys; sys.modules['numpy'] = None; import kmux; print(kmux.__version__)")
        self.assertEqual(done.stdout.strip(), kmux.__version__, done.stderr)

    def test_reads_arrays_of_a_numpy_that_came_later(self):
        done = run("""
            import kmux
            copy = kmux.kernel("void copy(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i]; }",
                               "copy(x: f32[n], y: inout f32[n])", args="x, y, n: i64")
            import numpy
            class Asked(numpy.ndarray):
                def __dlpack__(self, **options):
                    print("asked")
                    return super().__dlpack__(**options)
            x, y = numpy.ones(2, "float32"), numpy.zeros(2, "float32")
            copy(x, y)
            copy(x.view(Asked), y)  # no array of NumPy's own
            print(y)
            """)
        self.assertEqual(done.stdout, "asked\n[1. 1.]\n", done.stderr)

    def test_leaves_cuda_bindings_to_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            bindings = pathlib.Path(folder, "cuda", "bindings")
            bindings.mkdir(parents=True)
            (bindings / "__init__.py").write_text("")
            (bindings / "driver.py").write_text("class CUstream:\n    def __int__(self): return 77\n")
            done = run(
                """
                import sys, kmux, tvm_ffi
                assert not [name for name in sys.modules if name.partition(".")[0] == "cuda"], sys.modules
                finders = len(sys.meta_path)
                from cuda.bindings import driver
                given = []
                tvm_ffi.convert(given.append)(driver.CUstream())
                print(given[0].value, len(sys.meta_path) - finders)  # torch is still waited for
                """,
                PYTHONPATH=os.pathsep.join([folder, os.environ["PYTHONPATH"]]),
            )
            self.assertEqual(done.stdout, "77 0\n", done.stderr)

    def test_says_how_to_be_found(self):
        done = run("import kmux", KMUX_TVM_FFI_LIBRARY="/nowhere.so")
        self.assertIn("ImportError: the library of kmux cannot be loaded", done.stderr)
        self.assertIn("KMUX_TVM_FFI_LIBRARY", done.stderr)


if __name__ == "__main__":
    unittest.main()
