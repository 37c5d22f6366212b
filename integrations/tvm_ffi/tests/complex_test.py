# SPDX-License-Identifier: Apache-2.0
"""Complex arrays: those of C, C++ and CUDA kernels."""

import decimal
import fractions
import unittest

import kmux
import numpy as np

_C = "void times(const {t} _Complex* x, {t} _Complex* y, long long n) {{ for (long long i = 0; i < n; ++i) y[i] = 2 * x[i]; }}"
_CPP = """#include <complex>
extern "C" void times(const std::complex<{t}>* x, std::complex<{t}>* y, long long n) {{ for (long long i = 0; i < n; ++i) y[i] = {t}(2) * x[i]; }}
"""
_CUDA = """__global__ void times(const {t}2* x, {t}2* y, long long n) {{
  const long long i = threadIdx.x;
  if (i < n) y[i] = make_{t}2(2 * x[i].x, 2 * x[i].y);
}}"""
_CU_COMPLEX = """#include <cuComplex.h>
__global__ void times(const cu{name}Complex* x, cu{name}Complex* y, long long n) {{
  const long long i = threadIdx.x;
  if (i < n) y[i] = cuC{mul}(make_cu{name}Complex(2, 0), x[i]);
}}"""


class Complex(unittest.TestCase):
    def kernels(self, dtype, signature):
        words = {"complex64": {"t": "float", "name": "Float", "mul": "mulf"}, "complex128": {"t": "double", "name": "Double", "mul": "mul"}}[dtype]
        over = {"grid": 1, "block": 32}
        for source, how in ((_C, {}), (_CPP, {}), (_CUDA, over), (_CU_COMPLEX, over)):
            yield kmux.kernel(source.format(**words), signature, args="x, y, n: i64", target="cpu", **how)

    def test_arrays_are_taken_and_returned(self):
        for dtype in ("complex64", "complex128"):
            x = (np.arange(6) + 1j * np.arange(6, 0, -1)).astype(dtype)
            for kernel in self.kernels(dtype, f"times(x: {dtype}[n], out y: {dtype}[n])"):
                with self.subTest(kernel.program.files):
                    made = kernel(x)
                    self.assertEqual((made.dtype, made.tolist()), (x.dtype, (2 * x).tolist()))
                    y = np.zeros(3, dtype)
                    kernel(x[3:], y)
                    self.assertEqual(y.tolist(), (2 * x[3:]).tolist())

    def test_another_dtype_is_refused(self):
        for kernel in self.kernels("complex64", "times(x: complex64[n], out y: complex64[n])"):
            for dtype in ("complex128", "float32", "int64"):
                with self.assertRaisesRegex(TypeError, f'"x" has dtype {dtype} .expected complex64'):
                    kernel(np.zeros(4, dtype))

    def scaling(self):
        """Yields kernels that multiply by a complex scalar, with their dtype."""
        over, cuda = {"grid": 1, "block": 32, "args": "s, y, a, n: i64"}, "y[i] = make_{t}2(s * a.x * y[i].x - s * a.y * y[i].y, s * a.x * y[i].y + s * a.y * y[i].x);"
        head = "__global__ void times(float s, {t}2* y, {a} a, long long n) {{ const long long i = threadIdx.x; if (i < n) "
        c = "void times(float s, {t} _Complex* y, {t} _Complex a, long long n) {{ for (long long i = 0; i < n; ++i) y[i] *= s * a; }}"
        for dtype, t, complex_type in (("complex64", "float", "cuFloatComplex"), ("complex128", "double", "cuDoubleComplex")):
            signature = f"times(s: f32, y: inout {dtype}[n], a: {dtype})"
            for source in (head + cuda + " }}", "#include <cuComplex.h>\n" + (head + cuda + " }}").replace("{a}", complex_type)):
                yield dtype, kmux.kernel(source.format(t=t, a=f"{t}2"), signature, target="cpu", **over)
            yield dtype, kmux.kernel(c.format(t=t), signature, args="s, y, a, n: i64", target="cpu")

    def test_complex_scalars_are_passed_by_place_and_by_name(self):
        for dtype, kernel in self.scaling():
            start = (np.arange(6) + 1j * np.arange(6, 0, -1)).astype(dtype)
            scalars = (1.5 - 2j, np.complex64(1.5 - 2j), np.complex128(1.5 - 2j))
            calls = [lambda y, a=a: kernel(2, y, a) for a in scalars]
            calls += [lambda y: kernel.launch(2, y, 1.5 - 2j), lambda y: kernel.compile()(2, y, a=1.5 - 2j)]
            calls += [lambda y: kernel(2, a=1.5 - 2j, y=y), lambda y: kernel(2, y, 1.5, -2), lambda y: kernel(2, y, a_im=-2, a_re=1.5)]
            for call in calls:
                with self.subTest(kernel.program.files):
                    y = start.copy()
                    call(y)
                    self.assertEqual(y.tolist(), (start * 2 * (1.5 - 2j)).tolist())

    def test_real_number_for_complex_scalar_is_taken_by_name(self):
        for dtype, kernel in self.scaling():
            y = np.full(3, 1 + 2j, dtype)
            kernel(1, y, a=3)
            self.assertEqual(y.tolist(), 3 * [3 + 6j])

    def test_what_is_no_number_for_complex_scalar_is_named(self):
        source = "void c(const float* x, float _Complex* y, float _Complex a, float _Complex d) { *y = x[0] * a + d; }"
        kernel = kmux.kernel(source, "c(x: f32[1], y: inout complex64[1], a: complex64, d: complex64)", args="x, y, a, d", target="cpu")
        x, y = np.ones(1, "float32"), np.zeros(1, "complex64")
        for call in (kernel, kernel.launch, kernel.compile()):
            for value, shown in ((None, "None"), ("1", "of type str"), (x, "of type ndarray"), ([1], "of type list"), (object(), "of type object")):
                with self.assertRaisesRegex(TypeError, f'^kernel "c": parameter "a" is {shown} .it is a complex number.. Pass one, or a real'):
                    call(x, y, a=value, d=1j)
            with self.assertRaisesRegex(TypeError, 'parameter "a" is given as a whole and in parts'):
                call(x, y, a=1j, a_re=1, d=1j)
            for two in (2, np.float32(2), np.int8(2), fractions.Fraction(2), decimal.Decimal(2), np.complex64(2)):
                call(x, y, a=two, d=1j)
                self.assertEqual(y[0], 2 + 1j)

    def test_every_parameter_is_passed_by_default(self):
        source = "__global__ void times(float2* y, float2 a, int n) { for (int i = 0; i < n; ++i) y[i] = a; }"
        y = np.zeros(3, "complex64")
        kmux.kernel(source, "times(y: inout complex64[n], a: complex64)", grid=1, block=1, target="cpu")(y, 1 + 2j)
        self.assertEqual(y.tolist(), 3 * [1 + 2j])

    def test_numbers_for_real_parameters_are_refused_with_what_to_do(self):
        scale = kmux.kernel("void scale(float a, float* y) { *y *= a; }", "scale(a: f32, y: inout f32[1])")
        for value in (1j, np.complex64(1), np.complex128(1)):
            for call in (scale, scale.compile(), scale.compile().launch):
                with self.assertRaisesRegex(TypeError, 'kernel "scale": parameter "a" is a complex number .this parameter is a real one.. Declare'):
                    call(value, np.ones(1, "float32"))


if __name__ == "__main__":
    unittest.main()
