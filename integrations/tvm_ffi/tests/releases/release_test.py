"""release_test.py PACKAGE FOLDER RELEASE: kmux over one release of apache-tvm-ffi, which lies in FOLDER/RELEASE.

Exits with 77 (a counted skip) where it does not; ./kmux.sh test fetches it.
"""

import pathlib
import sys
import unittest

PACKAGE, RELEASE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute() / sys.argv[3]
if not RELEASE.is_dir():
    print(f"needs apache-tvm-ffi {RELEASE.name} (there is no {RELEASE})")
    sys.exit(77)
sys.path[:0] = [str(RELEASE), str(PACKAGE)]

import kmux  # noqa: E402
import numpy  # noqa: E402
import tvm_ffi  # noqa: E402

# y[i] = by * x[i], and 1 where the address is not that of x.
TEXT = """
extern "C" int scale(const float* x, float by, long long n, const void* address, float* y) {
  for (long long i = 0; i < n; ++i) y[i] = by * x[i];
  return address != x;
}
"""
TENSOR = {"dtype": "float32", "shape": ["n"]}
DOCUMENT = {
    "format": "kmux-program", "version": 1, "name": "scale",
    "signature": {
        "params": [
            {"name": "x", "buffer": TENSOR}, {"name": "by", "scalar": {"dtype": "float32"}},
            {"name": "address", "pointer": {}}, {"name": "y", "buffer": TENSOR},
        ],
        "outputs": ["y"], "symbols": [{"name": "n"}],
    },
    "variants": [{
        "dialect": "c", "settings": {"standard": "c++17"}, "sources": [{"path": "scale.cpp"}],
        "body": {"steps": [{"launch": {"kernel": "scale", "returns": "int32", "args": [
            {"tensor": "x"}, {"scalar": "by"}, {"expr": "n", "dtype": "int64"}, {"tensor": "address"}, {"tensor": "y"},
        ]}}]},
    }],
}  # fmt: skip


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = kmux.program(DOCUMENT, {"scale.cpp": TEXT})
        cls.kernel = kmux.compile(cls.program, target="c")

    def test_is_the_one_that_was_asked_for(self):
        self.assertTrue(pathlib.Path(tvm_ffi.__file__).is_relative_to(RELEASE), tvm_ffi.__file__)
        self.assertEqual(tvm_ffi.get_global_func("kmux.version")(), kmux.__version__)

    def test_integers_beyond_int64_are_rounded_or_named(self):
        x = numpy.ones(1, dtype="float32")
        for value in (2**63, 2**64, -(2**63) - 1, 10**30, numpy.uint64(2**64 - 1)):
            for call in (self.kernel, self.kernel.launch):
                self.assertEqual(numpy.from_dlpack(call(x, value, x.ctypes.data))[0], numpy.float32(value))
        with self.assertRaisesRegex(ValueError, 'kernel "scale": parameter "by" is an integer beyond the largest double'):
            self.kernel(x, 10**400, x.ctypes.data)
        with self.assertRaisesRegex(ValueError, 'kernel "scale": parameter "address" is an integer of more than 64 bits'):
            self.kernel(x, 1, 2**64)

    def test_runs_kernels(self):
        x = numpy.arange(5, dtype="float32")
        self.assertEqual(self.kernel(x, 2.5, x.ctypes.data).tolist(), [0, 2.5, 5, 7.5, 10])
        y = numpy.zeros(5, dtype="float32")
        self.kernel(x, -1.0, x.ctypes.data, y)
        self.assertEqual(y.tolist(), [0, -1, -2, -3, -4])

    def test_raises_errors_of_python(self):
        x = numpy.arange(5, dtype="float32")
        with self.assertRaisesRegex(TypeError, 'parameter "x" has dtype float64'):
            self.kernel(x.astype("float64"), 2.5, 0)
        with self.assertRaises(kmux.LaunchError):
            self.kernel(x, 2.5, 64)
        with self.assertRaises(kmux.CompileError) as raised:
            kmux.compile(kmux.program(DOCUMENT, {"scale.cpp": "nonsense"}), target="c")
        self.assertIn("nonsense", raised.exception.log)

    def test_has_the_objects_of_the_library(self):
        self.assertEqual((self.program.name, self.kernel.backend, list(self.program.files)), ("scale", "cpu", ["scale.cpp"]))
        self.assertEqual(kmux.resolve(self.program, target="c").backend, "cpu")
        self.assertIn("cpu", [plugin.name for plugin in kmux.plugins()])
        self.assertEqual([kernel.name for kernel in kmux.par_compile([self.program] * 2, target="c")], ["scale"] * 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
