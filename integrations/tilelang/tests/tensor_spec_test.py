"""kmux_tilelang.tensor_spec"""

import sys
import unittest
from unittest import mock

from kmux_tilelang.error import UsageError
from kmux_tilelang.tensor_spec import TensorSpec, tensor_spec


class TensorSpecs(unittest.TestCase):
    def test_are_a_type_and_extents(self):
        self.assertEqual(tensor_spec("float32[1024, 1024]"), TensorSpec("float32", (1024, 1024)))
        self.assertEqual(tensor_spec("float8_e4m3fn[8,]"), TensorSpec("float8_e4m3fn", (8,)))
        self.assertEqual(tensor_spec("int64[]"), TensorSpec("int64", ()))
        self.assertEqual(str(tensor_spec("float16[ 2 ,3]")), "float16[2,3]")

    def test_are_told_from_other_arguments(self):
        for text in ("float32", "1024", "[1, 2]", "float32[n]", "float32[1][2]", "f(1)", "x[-1]", "float32[1,,2]"):
            self.assertIsNone(tensor_spec(text), text)

    def test_want_torch(self):
        self.enterContext(mock.patch.dict(sys.modules, torch=None))
        with self.assertRaisesRegex(UsageError, r"float32\[2\] needs torch"):
            TensorSpec("float32", (2,)).tensor()


if __name__ == "__main__":
    unittest.main()
