import pathlib
import pickle
import sys
import tempfile
import unittest

import numpy

import kmux

_SAXPY = """
__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
_SIGNATURE = "saxpy(a: f32, x: f32[n], y: inout f32[n])"
_SCALE = "void scale(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = 2 * x[i]; }"


class SourceKernel(unittest.TestCase):
    def check(self, saxpy):
        x, y = numpy.arange(1000, dtype="float32"), numpy.ones(1000, "float32")
        for _ in range(2):
            saxpy(2.0, x, y)
        numpy.testing.assert_array_equal(y, 4 * x + 1)

    def test_is_a_source_and_a_line(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
        self.check(saxpy)
        self.check(pickle.loads(pickle.dumps(saxpy)))
        self.assertEqual(list(saxpy.program.files), ["kernel.cu"])
        self.assertEqual(repr(saxpy), "<kmux.SourceKernel 'saxpy'>")

    def test_returns_outputs_of_the_host(self):
        scale = kmux.kernel(_SCALE, "scale(x: f32[n], out y: f32[n])", args="x, y, n: i64")
        numpy.testing.assert_array_equal(scale(numpy.ones(5, "float32")), numpy.full(5, 2, "float32"))
        self.assertEqual(list(scale.program.files), ["kernel.c"])

    def test_runs_no_python_code_in_a_call_that_only_writes(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
        x = numpy.ones(4, "float32")
        self.check(saxpy)
        frames = []
        sys.setprofile(lambda frame, event, function: frames.append(frame) if event == "call" else None)
        try:
            saxpy(1.0, x, x.copy())
        finally:
            sys.setprofile(None)
        self.assertEqual([frame.f_code.co_name for frame in frames], [])

    def test_an_error_of_the_compiler_is_what_a_call_raises(self):
        broken = kmux.kernel("void broken(float* x, long long n) { nonsense; }", "broken(x: inout f32[n])", args="x, n: i64")
        for _ in range(2):
            with self.assertRaisesRegex(kmux.CompileError, "nonsense"):
                broken(numpy.ones(4, "float32"))

    def test_returns_what_the_caller_makes_an_output(self):
        scale = kmux.kernel(_SCALE, "scale(x: f32[n], y: f32[n])", args="x, y, n: i64", out_idx=-1)
        numpy.testing.assert_array_equal(scale(numpy.ones(5, "float32")), numpy.full(5, 2, "float32"))

    def test_takes_all_of_a_program(self):
        self.check(kmux.kernel(_SAXPY, f"""
            kernel {_SIGNATURE}
              launch saxpy<<<[ceildiv(n, 128), 1], 128>>>(a, x, y, n)
            """))

    def test_takes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "saxpy.cu")
            file.write_text(_SAXPY)
            self.check(kmux.kernel(file, _SIGNATURE, grid="ceildiv(n, 256)", block=[256]))
            file.write_text(f"//! kmux\n//! kernel {_SIGNATURE}\n//!   launch saxpy<<<ceildiv(n, 64), 64>>>(a, x, y, n)\n" + _SAXPY)
            self.check(kmux.kernel(str(file)))

    def test_takes_a_template_by_its_arguments(self):
        source = "template <class T> __global__ void twice(T* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
        twice = kmux.kernel(source, "twice(x: inout f32[n])", grid=1, block=32, name="twice<float>")
        x = numpy.ones(32, "float32")
        twice(x)
        self.assertEqual(x.sum(), 64)

    def test_is_refused_with_a_caret(self):
        with self.assertRaises(ValueError) as caught:
            kmux.kernel(_SAXPY, "saxpy(a: f33, x: f32[n])", grid=1, block=1)
        self.assertIn("f33", str(caught.exception))
        self.assertIn("^", str(caught.exception))
        with self.assertRaisesRegex(ValueError, '"fortran" is not a dialect that kernels are written in'):
            kmux.kernel(_SAXPY, _SIGNATURE, grid=1, block=1, dialect="fortran")

    def test_a_wrong_call_is_its_own_error(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
        x = numpy.ones(8, "float32")
        saxpy(1.0, x, x.copy())
        with self.assertRaisesRegex(ValueError, "n"):
            saxpy(1.0, x, numpy.ones(9, "float32"))
        with self.assertRaises(TypeError):
            saxpy(1.0, x)


if __name__ == "__main__":
    unittest.main()
