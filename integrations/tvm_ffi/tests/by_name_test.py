"""Calls by name where outputs are not last, expressions and errors by their public names."""

import threading
import unittest

import kmux
import numpy as np
from kmux import expr

MIDDLE = """#include <stdint.h>
void o(const float* x, float* y, const float* z, float a, int64_t n) { for (int64_t i = 0; i < n; ++i) y[i] = x[i] + a * z[i]; }
"""
FIRST = """#include <stdint.h>
void p(float* y, const float* x, float a, int64_t n) { for (int64_t i = 0; i < n; ++i) y[i] = a * x[i]; }
"""


def kernel(source, signature, args):
    return kmux.kernel(source, signature, args=f"{args}, n: i64", dialect="c", target="cpu")


class ByName(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.x = np.arange(4, dtype="float32")
        cls.middle = kernel(MIDDLE, "o(x: f32[n], out y: f32[n], z: f32[n], a: f32)", "x, y, z, a")
        cls.first = kernel(FIRST, "p(out y: f32[n], x: f32[n], a: f32)", "y, x, a")

    def test_outputs_may_be_left_out_wherever_they_are(self):
        x = self.x
        for made in (
            self.middle(x, x, 2.0),
            self.middle(x, x, a=2.0),
            self.middle(x, z=x, a=2.0),
            self.middle(a=2.0, x=x, z=x),
        ):
            np.testing.assert_array_equal(made, 3 * x)
        np.testing.assert_array_equal(self.first(x, a=2.0), 2 * x)

    def test_or_given(self):
        x, y = self.x, np.empty(4, "float32")
        for call in (
            lambda: self.middle(x, y, x, a=2.0),
            lambda: self.middle(x, y, z=x, a=2.0),
            lambda: self.middle(x, y=y, z=x, a=2.0),
        ):
            y[:] = 0
            self.assertIsNone(call())
            np.testing.assert_array_equal(y, 3 * x)

    def test_one_that_is_missing_is_named(self):
        with self.assertRaisesRegex(TypeError, 'parameter "z" is not given'):
            self.middle(self.x, a=2.0)
        with self.assertRaisesRegex(TypeError, 'parameter "x" is given by position and by name'):
            self.middle(self.x, x=self.x, a=2.0)


class Threads(unittest.TestCase):
    def test_threads_that_call_at_once_have_one_kernel(self):
        made = kmux.kernel(FIRST.replace("a * x", "a + x"), "p(out y: f32[n], x: f32[n], a: f32)", args="y, x, a, n: i64", dialect="c")
        compiled, start = [], threading.Barrier(8)

        def get():
            start.wait()
            compiled.append(made._kernels(1, 0))

        threads = [threading.Thread(target=get) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({id(kernel) for kernel in compiled}), 1)


class Public(unittest.TestCase):
    def test_functions_of_expressions_have_names(self):
        n = kmux.Expr("n")
        self.assertEqual(expr.ceildiv(n, 4).form(), ["ceildiv", "n", 4])
        self.assertEqual(expr.min(n, 4).form(), ["min", "n", 4])
        self.assertEqual(expr.max(n, 4).form(), ["max", "n", 4])
        self.assertEqual(expr.select(n > 2, n, 0).form(), ["select", [">", "n", 2], "n", 0])
        self.assertIs(kmux.expr, expr)
        with self.assertRaisesRegex(TypeError, "Use kmux.expr.select, or compare the value of a constant"):
            bool(n > 2)

    def test_errors_are_caught_by_name(self):
        self.assertTrue(issubclass(kmux.CompileTimeoutError, kmux.CompileError))
        self.assertTrue(issubclass(kmux.OutOfMemoryError, kmux.UnavailableError))
        self.assertTrue(issubclass(kmux.CancelledError, kmux.UnavailableError))

    def test_a_limit_below_a_millisecond_is_one(self):
        functions = "\n".join(f"static float g{i}(float x) {{ for (int j = 0; j < {i}; ++j) x *= x + j; return x; }}" for i in range(99))
        calls = " + ".join(f"g{i}(y[0])" for i in range(99))
        source = f"#include <stdint.h>\n{functions}\nvoid w(float* y, int64_t n) {{ y[0] = {calls}; }}\n"
        slow = kmux.kernel(source, "w(inout y: f32[n])", args="y, n: i64", dialect="c").program
        with self.assertRaises(kmux.CompileTimeoutError):
            kmux.par_compile([slow], target="cpu", timeout=0.0001, use_cache=False)


if __name__ == "__main__":
    unittest.main()
