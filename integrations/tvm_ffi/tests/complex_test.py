# SPDX-License-Identifier: Apache-2.0
"""Complex arrays: those of C, C++ and CUDA kernels."""

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

    def test_numbers_are_refused_with_what_to_do(self):
        with self.assertRaisesRegex(ValueError, 'a scalar cannot be "complex64" .a scalar is one number.. Pass its numbers by'):
            kmux.kernel("void f() {}", "f(a: complex64, y: inout f32[1])")
        scale = kmux.kernel("void scale(float a, float* y) { *y *= a; }", "scale(a: f32, y: inout f32[1])")
        for value in (1j, np.complex64(1), np.complex128(1)):
            for call in (scale, scale.compile(), scale.compile().launch):
                with self.assertRaisesRegex(TypeError, 'kernel "scale": parameter "a" is a complex number .*two parameters'):
                    call(value, np.ones(1, "float32"))


if __name__ == "__main__":
    unittest.main()
