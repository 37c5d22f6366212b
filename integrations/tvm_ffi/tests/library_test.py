import os
import subprocess
import sys
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

    def test_says_how_to_be_found(self):
        done = run("import kmux", KMUX_TVM_FFI_LIBRARY="/nowhere.so")
        self.assertIn("ImportError: the library of kmux cannot be loaded", done.stderr)
        self.assertIn("KMUX_TVM_FFI_LIBRARY", done.stderr)


if __name__ == "__main__":
    unittest.main()
