"""Calls of kernels inside TileLang, on the CPU: addresses, assumptions, float8 of another format.

Exits with 77 (a counted skip) where TileLang or kmux's library cannot be imported.
"""

import sys
import unittest

import kmux_paths  # noqa: F401, first: the others are found by it

import kmux_tilelang
import tilelang
import torch
from inside_kernels import add, added_at, assuming, doubled_in_place


class Calls(unittest.TestCase):
    def setUp(self):
        kmux_tilelang.install(strict=True)
        self.addCleanup(kmux_tilelang.uninstall)

    def kernel(self, function, **options):
        return tilelang.compile(function, target="c", execution_backend="kmux", **options)

    def test_pass_pointers_as_tensors_and_as_addresses(self):
        kernel, x = self.kernel(doubled_in_place()), torch.ones(4)
        kernel(x, 4)
        kernel(x.data_ptr(), 4)
        kernel(x.data_ptr() + 8, 2)
        self.assertEqual(x.tolist(), [4, 4, 8, 8])

    def test_check_pointers_that_are_tensors(self):
        kernel = self.kernel(doubled_in_place())
        with self.assertRaisesRegex(TypeError, 'parameter "A" has dtype float64'):
            kernel(torch.ones(4, dtype=torch.float64), 4)

    def test_return_outputs_of_addresses(self):
        kernel, x = self.kernel(added_at(4), out_idx=[1]), torch.ones(4)
        for given in (x, x.data_ptr()):
            made = kernel(given)
            self.assertIsInstance(made, torch.Tensor)
            self.assertEqual(made.tolist(), [2] * 4)

    def test_pass_no_addresses_where_tensors_are_declared(self):
        kernel, x = self.kernel(add(4)), torch.ones(4)
        with self.assertRaisesRegex(TypeError, 'parameter "A" is the integer'):
            kernel(x.data_ptr(), x, x)

    def test_that_break_an_assumption_raise_what_tilelang_does(self):
        kernel = self.kernel(assuming())
        kernel(torch.ones(8))
        with self.assertRaisesRegex(RuntimeError, "Assume: n % 4 == 0"):
            kernel(torch.ones(5))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
