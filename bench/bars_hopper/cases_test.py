#!/usr/bin/env python3
"""The corpus itself: names, exact values of all types, and references of the shapes that results have."""

import sys
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError as problem:
    print(f"needs NumPy ({problem})")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parent))
from case import read, stored, values_of  # noqa: E402
from cases import CASES  # noqa: E402


class Cases(unittest.TestCase):
    def test_corpus_has_two_hundred_kernels_of_different_names(self):
        names = {case.name for case in CASES}
        self.assertEqual(len(names), len(CASES))
        self.assertGreaterEqual(len(names), 200)

    def test_values_of_bfloat16_are_exact(self):
        values = values_of((1000,), "bfloat16", np.random.default_rng(1))
        np.testing.assert_array_equal(read(stored(values, "bfloat16").view(np.uint16)), values)

    def test_values_of_float8_have_the_bits_of_their_formats(self):
        values = np.array([0, 0.25, -0.75, 1, 1.75, 2, -2])
        self.assertEqual(stored(values, "float8_e4m3fn").view(np.uint8).tolist(), [0, 0x28, 0xB4, 0x38, 0x3E, 0x40, 0xC0])
        self.assertEqual(stored(values, "float8_e5m2").view(np.uint8).tolist(), [0, 0x34, 0xBA, 0x3C, 0x3F, 0x40, 0xC0])

    def test_references_are_computed_from_inputs(self):
        for case in CASES:
            random = np.random.default_rng(1)
            inputs = {name: values_of(shape, dtype, random) for name, (shape, dtype) in case.inputs.items()}
            with self.subTest(case.name):
                wanted = case.reference(inputs)
                self.assertTrue(np.isfinite(wanted).all() and np.any(wanted != 0))


if __name__ == "__main__":
    unittest.main()
