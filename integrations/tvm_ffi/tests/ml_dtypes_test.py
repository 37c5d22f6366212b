# SPDX-License-Identifier: Apache-2.0
"""Arrays of ml_dtypes: taken without a copy, packed where a kernel has several elements in a byte, returned; its numbers."""

import decimal
import importlib.util
import unittest

import kmux
import numpy as np
from kmux import _function

_SOURCE = """
void copy(const void* x, void* y, long long n, int size) { __builtin_memcpy(y, x, n * size); }
"""
_DTYPES = (
    ("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2")
    + ("float8_e5m2fnuz", "float8_e8m0fnu")
)


def copy_of(dtype, kind="inout"):
    size = 2 if dtype == "bfloat16" else 1
    args = f"x, y, n: i64, {size}: i32"
    return kmux.kernel(_SOURCE, f"copy(x: {dtype}[n], y: {kind} {dtype}[n])", args=args, target="cpu")


class Quarter:
    """A number by its protocol alone, as those of ml_dtypes are."""

    def __init__(self, quarters):
        self.quarters = quarters

    def __float__(self):
        return self.quarters / 4


_BITS = {"bf16": "uint16", "f8e4m3": "uint8", "f32": "float32", "f64": "float64", "i32": "int32", "i8": "int8"}  # as NumPy has them
_TYPES = {"uint16": "unsigned short", "uint8": "unsigned char", "float32": "float", "float64": "double", "int32": "int", "int8": "signed char"}


def taken_as(dtype, number):
    """What a kernel gets for `number` in a parameter of that dtype, by every way of a call."""
    bits, word = _BITS[dtype], {"f8e4m3": "float8_e4m3fn"}.get(dtype, dtype)
    source = f"void take({_TYPES[bits]} a, {_TYPES[bits]}* y) {{ *y = a; }}"
    kernel = kmux.kernel(source, f"take(a: {word}, y: inout {bits}[1])", target="cpu")
    seen = set()
    for call in (kernel, kernel.launch, kernel.compile(), kernel.compile().launch, lambda a, y: kernel(a=a, y=y)):
        y = np.zeros(1, bits)
        call(number, y)
        seen.add(y[0].item())
    (one,) = seen
    return one


class Numbers(unittest.TestCase):
    def test_numbers_by_their_protocol_are_rounded_as_floats_are(self):
        for number in (Quarter(6), decimal.Decimal("1.5")):
            self.assertEqual([taken_as(dtype, number) for dtype in ("f32", "f64", "bf16")], [1.5, 1.5, taken_as("bf16", 1.5)])

    def test_numbers_by_their_protocol_are_no_integers(self):
        with self.assertRaisesRegex(TypeError, '"a" is the number 1.5 .expected a int32'):
            taken_as("i32", Quarter(6))

    def test_what_has_the_protocol_and_is_no_number_is_refused(self):
        for value in (np.datetime64(1, "s"), np.void(b"1")):
            with self.assertRaisesRegex(TypeError, 'parameter "a" is'):
                taken_as("f32", value)


@unittest.skipUnless(importlib.util.find_spec("ml_dtypes"), "needs ml_dtypes (it is not in this Python)")
class MlDtypes(unittest.TestCase):
    def array(self, dtype, *shape):
        import ml_dtypes

        return np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(getattr(ml_dtypes, dtype))

    def test_arrays_are_taken_as_they_are(self):
        for dtype in _DTYPES:
            kernel = copy_of(dtype)
            made = kernel.compile()
            for call in (kernel, kernel.launch, made, made.launch, _function._plain_launch.__get__(made)):
                with self.subTest(dtype):
                    x, y = self.array(dtype, 4), self.array(dtype, 8)[4:]
                    x.flags.writeable = False
                    call(x, y)
                    self.assertEqual(y.tobytes(), x.tobytes())

    def test_numbers_are_taken(self):
        import ml_dtypes

        self.assertEqual([taken_as(dtype, ml_dtypes.bfloat16(1.5)) for dtype in ("f32", "f64", "bf16")], [1.5, 1.5, 0x3FC0])
        self.assertEqual([taken_as("f8e4m3", number) for number in (ml_dtypes.float8_e4m3fn(1.5), 1.5)], [0x3C, 0x3C])
        for dtype in (*_DTYPES, "float4_e2m1fn", "float6_e3m2fn"):
            one = getattr(ml_dtypes, dtype)(1)
            self.assertEqual([taken_as("f32", one), taken_as("bf16", one)], [1, 0x3F80], dtype)
        for dtype in ("int4", "uint4", "int2", "uint2"):
            one = getattr(ml_dtypes, dtype)(1)
            self.assertEqual([taken_as(each, one) for each in ("i32", "i8", "f32")], [1, 1, 1], dtype)
        self.assertEqual(taken_as("i32", ml_dtypes.int4(-3)), -3)
        with self.assertRaisesRegex(TypeError, '"a" is the number 1.5 .expected a int32'):
            taken_as("i32", ml_dtypes.bfloat16(1.5))

    def test_memory_that_must_not_be_written_is_refused(self):
        y = self.array("bfloat16", 4)
        y.flags.writeable = False
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, 'parameter "y" is a read-only NumPy array'):
                copy_of("bfloat16")(self.array("bfloat16", 4), y)

    def test_another_dtype_is_refused_by_name(self):
        for _ in range(2):
            with self.assertRaisesRegex(TypeError, '"x" has dtype float8_e5m2 .expected bfloat16'):
                copy_of("bfloat16")(self.array("float8_e5m2", 4), self.array("bfloat16", 4))

    def test_strides_are_those_of_elements(self):
        kernel = kmux.kernel(_SOURCE, "copy(x: bf16[m, n] strides [s, 1], y: inout bf16[1])", args="x, y, 1: i64, 2: i32", target="cpu")
        x, y = self.array("bfloat16", 4, 6), self.array("bfloat16", 1)
        kernel(x[1:, 2:5], y)
        self.assertEqual(float(y[0]), 9)
        with self.assertRaisesRegex(ValueError, '"x" .*stride'):
            kernel(x.T, y)

    def test_outputs_are_arrays_of_the_same_dtype(self):
        for dtype in _DTYPES:
            x = self.array(dtype, 4)
            made = copy_of(dtype, "out")(x)
            self.assertEqual((type(made), made.dtype, made.tobytes()), (np.ndarray, x.dtype, x.tobytes()))
            made[0] = 2  # it may be written

    def test_elements_of_less_than_a_byte_are_packed_for_kernels_that_read_them(self):
        bits = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2, "float4_e2m1fn": 4}
        for dtype, size in bits.items():
            for shape in ((8,), (3, 5), (1,), (0,)):
                x = (np.arange(np.prod(shape), dtype="uint8") % (1 << size)).reshape(shape)
                extents = ", ".join(map(str, shape))
                count = -(-x.size * size // 8)
                kernel = kmux.kernel(
                    _SOURCE, f"copy(x: {dtype}[{extents}], y: inout u8[{count}])", args=f"x, y, {count}: i64, 1: i32", target="cpu"
                )
                y = np.zeros(count, "uint8")
                given = x.view(self.array(dtype, 1).dtype)
                given.flags.writeable = False
                kernel(given, y)
                every = "".join(format(int(one), f"0{size}b")[::-1] for one in x.reshape(-1)).ljust(8 * count, "0")
                self.assertEqual(y.tolist(), [int(every[8 * i : 8 * i + 8][::-1], 2) for i in range(count)], (dtype, shape))
                if x.ndim == 2:
                    kernel(np.asfortranarray(given), y)
                    self.assertEqual(y.tolist(), [int(every[8 * i : 8 * i + 8][::-1], 2) for i in range(count)])

    def test_packed_elements_that_are_written_or_cross_bytes_are_refused_by_name(self):
        refused = {"int4": "a uint8 array with 2 elements", "uint2": "a uint8 array with 4", "float4_e2m1fn": "a uint8 array with 2"}
        for dtype, advice in refused.items():
            kernel = kmux.kernel(_SOURCE, f"copy(x: {dtype}[8], y: inout {dtype}[8])", args="x, y, 1: i64, 1: i32", target="cpu")
            with self.assertRaisesRegex(ValueError, f'parameter "y" is a NumPy array of dtype .{dtype}., with a byte for each .*Pass {advice}'):
                kernel(self.array(dtype, 8), self.array(dtype, 8))
        kernel = kmux.kernel(_SOURCE, "copy(x: float6_e3m2fn[8], y: inout u8[8])", args="x, y, 1: i64, 1: i32", target="cpu")
        with self.assertRaisesRegex(TypeError, 'parameter "x" is a NumPy array of dtype .float6_e3m2fn., with a byte for each .*Pass another array'):
            kernel(self.array("float6_e3m2fn", 8), np.zeros(8, "uint8"))

    def test_functions_of_tensors_take_and_return_them(self):
        @kmux.jit(target="cpu")
        def copied(b: kmux.JitBuilder, x):
            n = b.symbol("n")
            b.input("x", [n])
            y = b.empty("y", "bfloat16", [n])
            b.variant("c", sources={"k.c": _SOURCE})
            b.launch("copy", ["x", "y", {"expr": "n", "dtype": "int64"}, 2])
            return y

        x = self.array("bfloat16", 4)
        for _ in range(2):
            self.assertEqual(copied(x).tobytes(), x.tobytes())

    def test_constants_take_them(self):
        source = "__constant__ unsigned short w[4]; __global__ void k(unsigned short* y) { y[threadIdx.x] = w[threadIdx.x]; }"
        kernel = kmux.kernel(source, "kernel k(y: inout bf16[4])\n  constant w: bf16[4]\n  launch k<<<1, 4>>>(y)").compile(np.zeros(4))
        w, y = self.array("bfloat16", 4), self.array("bfloat16", 4) * 0
        kernel.set_constant("w", w)
        kernel(y)
        self.assertEqual(y.tolist(), w.tolist())


if __name__ == "__main__":
    unittest.main()
