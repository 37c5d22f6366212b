"""kmux_tilelang.tensor_map"""

import unittest

from kmux_tilelang.error import UnsupportedError
from kmux_tilelang.tensor_map import creates_tensor_map, tensor_map

TILED, IM2COL = "__tvm_tensormap_create_tiled", "__tvm_tensormap_create_im2col"
MATRIX = [6, 2, "k", "m", 2, ["*", "k", 2], 64, 128, 1, 1, 0, 3, 2, 0]
IMAGE = [6, 4, 64, 32, 30, 4, 2, 128, 4096, 131072, 1, 2, 2, 1, -1, -2, -3, -4, 48, 16, 0, 2, 0, 1]


def changed(values, at, value):
    return [*values[:at], value, *values[at + 1 :]]


class TensorMap(unittest.TestCase):
    def test_has_tiles(self):
        self.assertEqual(tensor_map(TILED, "A_desc", {"name": "A"}, MATRIX), {
            "name": "A_desc", "dtype": "float16", "base": {"name": "A"}, "dims": ["k", "m"],
            "strides_bytes": [["*", "k", 2]], "tiled": {"box": [64, 128]}, "swizzle": "128b", "l2_promotion": "128b"})  # fmt: skip

    def test_gathers_pixels(self):
        self.assertEqual(tensor_map(IM2COL, "X_desc", {"name": "X"}, IMAGE), {
            "name": "X_desc", "dtype": "float16", "base": {"name": "X"}, "dims": [64, 32, 30, 4],
            "strides_bytes": [128, 4096, 131072], "element_strides": [1, 2, 2, 1],
            "im2col": {"lower_corner": [-1, -2], "upper_corner": [-3, -4], "pixels_per_column": 48, "channels_per_pixel": 16},
            "swizzle": "64b", "oob_fill": "nan"})  # fmt: skip

    def test_is_made_by_functions_of_these_names(self):
        self.assertTrue(creates_tensor_map(TILED) and creates_tensor_map(IM2COL))
        self.assertFalse(creates_tensor_map("__tvm_set_device"))

    def test_names_a_mode_that_a_program_lacks(self):
        with self.assertRaisesRegex(UnsupportedError, "tensor map 'A_desc' is of mode 'gather4'"):
            tensor_map("__tvm_tensormap_create_gather4", "A_desc", {"name": "A"}, MATRIX)

    def test_names_a_symbol_where_a_number_must_stand(self):
        with self.assertRaisesRegex(UnsupportedError, "'A_desc' has n where a number must stand"):
            tensor_map(TILED, "A_desc", {"name": "A"}, changed(MATRIX, 6, "n"))

    def test_refuses_words_that_it_does_not_know(self):
        with self.assertRaisesRegex(UnsupportedError, "has 99 where one of uint8, "):
            tensor_map(TILED, "A_desc", {"name": "A"}, changed(MATRIX, 0, 99))
        with self.assertRaisesRegex(UnsupportedError, "has -1 where one of none, 32b"):
            tensor_map(TILED, "A_desc", {"name": "A"}, changed(MATRIX, 11, -1))

    def test_refuses_another_number_of_values(self):
        with self.assertRaisesRegex(UnsupportedError, "has too few values"):
            tensor_map(TILED, "A_desc", {"name": "A"}, MATRIX[:-1])
        with self.assertRaisesRegex(UnsupportedError, "has 1 values too many"):
            tensor_map(TILED, "A_desc", {"name": "A"}, [*MATRIX, 0])
