"""kmux_tilelang.memory"""

import unittest

from kmux_tilelang.error import UnsupportedError
from kmux_tilelang.expression import from_tir
from kmux_tilelang.memory import address_of, l2_window, workspace
from tir import allocate, imm, node, var


class Workspace(unittest.TestCase):
    def test_has_bytes(self):
        def size(shape, bits):
            return workspace("w", allocate("w", shape, bits).buffer, from_tir)["bytes"]

        self.assertEqual(size([imm(4), imm(8)], 16), 64)
        self.assertEqual(size([imm(4), var("m"), imm(8)], 32), ["*", "m", 128])
        self.assertEqual(size([var("m"), var("n")], 8), ["*", "m", "n"])
        self.assertEqual(size([imm(3), var("m")], 4), ["ceildiv", ["*", "m", 12], 8])

    def test_is_memory_of_the_device(self):
        with self.assertRaisesRegex(UnsupportedError, "'w' of the host is in scope 'local'"):
            workspace("w", allocate("w", [imm(4)], scope="local").buffer, from_tir)


class L2Window(unittest.TestCase):
    def test_has_the_ratio_that_the_author_wrote(self):
        ratio = node("FloatImm", value=0.6000000238418579)  # 0.6 as a float32
        self.assertEqual(l2_window("A", [var("n"), ratio], from_tir), {"buffer": "A", "bytes": "n", "hit_ratio": 0.6})

    def test_leaves_out_the_default(self):
        ratio = node("FloatImm", value=0.800000011920929)
        for values in ([imm(8)], [imm(8), ratio]):
            self.assertEqual(l2_window("A", values, from_tir), {"buffer": "A", "bytes": 8})


class Address(unittest.TestCase):
    def test_is_that_of_a_parameter(self):
        arguments = {"A_data": {"tensor": "A"}, "s": {"scalar": "s"}}
        self.assertEqual(address_of(arguments, var("A_data"), "window"), "A")
        for other in (var("s"), var("x"), imm(3)):
            with self.assertRaisesRegex(UnsupportedError, "window lies over .*not a parameter"):
                address_of(arguments, other, "window")
