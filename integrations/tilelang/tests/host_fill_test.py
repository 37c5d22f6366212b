"""kmux_tilelang.host_fill; what needs TVM is in lowering.py."""

import unittest

from kmux_tilelang.host_fill import fill_step, repeated_byte


class HostFill(unittest.TestCase):
    def test_has_a_byte_for_numbers_that_repeat_one(self):
        for value, dtype, byte in (
            (0, "float32", 0), (0.0, "float16", 0), (0, "bfloat16", 0), (0, "float8_e4m3fn", 0), (0, "bool", 0),
            (-1, "int32", 255), (7, "uint8", 7), (-2, "int8", 254), (0x0101, "int16", 1),
        ):  # fmt: skip
            self.assertEqual(repeated_byte(value, dtype), byte, f"{value} of {dtype}")

    def test_has_none_for_others(self):
        for value, dtype in ((1, "float32"), (-0.0, "float32"), (1, "bfloat16"), (1, "int32"), (None, "float32")):
            self.assertIsNone(repeated_byte(value, dtype), f"{value} of {dtype}")

    def test_is_a_step(self):
        step = {"fill": {"target": {"name": "A"}, "bytes": "n", "value": 7}}
        self.assertEqual(fill_step({"name": "A"}, "n", 7), step)
        self.assertNotIn("value", fill_step({"name": "A"}, "n", 0)["fill"])
