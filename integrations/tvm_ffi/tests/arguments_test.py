# SPDX-License-Identifier: Apache-2.0
"""Numbers and arrays of other types than a kernel's own: taken as what they mean, or refused by the name of the parameter."""

import array
import copy
import ctypes
import pickle
import random
import sys
import types
import unittest
from unittest import mock

import kmux
import numpy as np
import programs
from kmux import _function
from kmux._integers import in_64_bits

_SOURCE = """
void scale(float a, const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = a * x[i]; }
void count(int c, unsigned char f, float* y, long long n) { y[0] = c + 10 * f; }
"""


class Index:
    """An integer by Python's protocol alone."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Arguments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.x = np.ones(2, "float32")
        cls.scale = kmux.kernel(_SOURCE, "scale(a: f32, x: f32[n], out y: f32[n])", args="a, x, y, n: i64", target="cpu")
        cls.count = kmux.kernel(_SOURCE, "count(c: i32, f: bool, y: inout f32[n])", args="c, f, y, n: i64", target="cpu")

    def calls(self, kernel, *arguments):
        """Each way to call."""
        made = kernel.compile()
        return kernel, kernel.launch, made, made.launch, _function._plain_launch.__get__(made)

    def refused(self, kernel, kind, message, *arguments):
        for call in self.calls(kernel):
            with self.assertRaisesRegex(kind, message):
                call(*arguments)

    def test_bools_of_numpy_are_bools(self):
        for call in self.calls(self.scale):
            self.assertEqual(np.from_dlpack(call(np.True_, self.x)).tolist(), [1, 1])
        for call in self.calls(self.count):
            y = np.zeros(1, "float32")
            call(3, np.True_, y)
            self.assertEqual(y.tolist(), [13])

    def test_an_integer_may_be_one_by_protocol(self):
        for call in self.calls(self.count):
            y = np.zeros(1, "float32")
            call(Index(4), np.False_, y)
            self.assertEqual(y.tolist(), [4])
        for call in self.calls(self.scale):
            self.assertEqual(np.from_dlpack(call(Index(2), self.x)).tolist(), [2, 2])

    def test_integers_for_floating_point_numbers_are_rounded_as_floats_are(self):
        for value in (2**24 + 1, -(2**24) - 1, 2**63 + 1, np.int64(2**24 + 1)):
            for call in self.calls(self.scale):
                made = np.from_dlpack(call(value, self.x))
                self.assertEqual(made.tolist(), np.from_dlpack(call(float(value), self.x)).tolist(), value)

    def test_integers_of_any_size_are_rounded_to_doubles(self):
        source = "void same(double a, double* y) { y[0] = a; }"
        same = kmux.kernel(source, "same(a: f64, out y: f64[1])", args="a, y", target="cpu")
        bits_of = random.Random(7)
        values = [10**30, 2**64, 2**64 + 2**11, 2**64 + 2**11 + 1, 2**64 + 3 * 2**11, 2**128 - 1, 2**1023 - 1, np.uint64(2**64 - 1)]
        values += [bits_of.getrandbits(bits) | 1 << (bits - 1) for bits in range(60, 400, 7)]
        values += [(1 << bits) + (1 << (bits - 53)) + step for bits in (70, 130, 200) for step in (-1, 0, 1)]
        for call in self.calls(same):
            for value in (*values, *(-int(each) for each in values)):
                self.assertEqual(np.from_dlpack(call(value))[0], float(value), value)
        self.refused(same, ValueError, 'kernel "same": parameter "a" is an integer beyond the largest double', 10**400)
        self.refused(same, ValueError, 'parameter "a" is an integer beyond', -(10**400))

    def test_integers_of_more_than_64_bits_are_named(self):
        y = np.zeros(1, "float32")
        self.refused(self.count, ValueError, 'kernel "count": parameter "c" is an integer of more than 64 bits', 2**64, False, y)
        self.refused(self.count, ValueError, 'parameter "c" is an integer of more than 64 bits', -(2**63) - 1, False, y)

    def test_integers_beyond_int64_fit_what_older_tvm_ffi_takes(self):
        params = {"a": "float32", "c": "uint64", "i": "int32"}
        listed = [{"name": name, "scalar": {"dtype": dtype}} for name, dtype in params.items()] + [{"name": "p", "pointer": {}}]
        kernel = types.SimpleNamespace(name="f", signature={"params": listed})
        rounded, _, _, address = in_64_bits(kernel, (2**64, 1, 2, 2**63))
        self.assertEqual((rounded, address.value), (2.0**64, 2**63))
        self.assertIsNone(in_64_bits(kernel, (2**63 - 1, -(2**63), 2.0**70, None)))
        for arguments, message in (
            ((0, np.uint64(2**63), 0, 0), 'kernel "f": parameter "c" is the integer 9223372036854775808 .TVM-FFI .* Install apache-tvm-ffi'),
            ((0, 0, 2**63, 0), 'parameter "i" is the integer 9223372036854775808 .it does not fit'),
            ((0, 0, 0, 2**64), 'parameter "p" is an integer of more than 64 bits'),
            ((10**400, 0, 0, 0), 'parameter "a" is an integer beyond the largest double'),
            ((0, 0, 0, 0, 2**64), "parameter 4 is an integer of more"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                in_64_bits(kernel, arguments)

    def test_arrays_that_are_none_of_dlpacks_are_named(self):
        named = 'kernel "scale": parameter "x" is a NumPy array of dtype '
        for read_only in (False, True):
            swapped = self.x.astype(">f4")
            swapped.flags.writeable = not read_only
            self.refused(self.scale, TypeError, named + r"'>f4' .*Pass x.astype\('float32'\)", 1.0, swapped)
        for dtype in ("O", "M8[s]", "U1", "V3", "g"):
            self.refused(self.scale, TypeError, named + ".*Pass another array", 1.0, np.zeros(2, dtype))
        compiled = kmux.compile(programs.scale())
        with self.assertRaisesRegex(TypeError, 'parameter "x" is a NumPy array of dtype'):
            compiled(x=swapped, factor=1.0)

    def test_a_mask_is_not_dropped(self):
        masked = np.ma.array([1, 2], dtype="float32", mask=[False, True])
        self.refused(self.scale, TypeError, 'parameter "x" is a masked array .*Pass x.filled', 1.0, masked)
        whole = np.ma.array([1, 2], dtype="float32", mask=[False, False])
        for call in self.calls(self.scale):
            self.assertEqual(np.from_dlpack(call(2, whole)).tolist(), [2, 4])

    def test_lazy_views_of_torch_are_named(self):
        class Tensor:
            """As torch's: no form of DLPack tells its consumer of the two."""

            def __init__(self, memory, conjugated=False, negated=False):
                self.memory, self.lazy = memory, (conjugated, negated)

            def is_conj(self):
                return self.lazy[0]

            def is_neg(self):
                return self.lazy[1]

            def __dlpack_device__(self):
                return self.memory.__dlpack_device__()

            def __dlpack__(self, **how):
                return self.memory.__dlpack__()

        torch = types.ModuleType("torch")
        torch.Tensor = Tensor
        with mock.patch.dict(sys.modules, torch=torch):
            for call in self.calls(self.scale):
                self.assertEqual(np.from_dlpack(call(2, Tensor(self.x))).tolist(), [2, 2])
            self.refused(self.scale, TypeError, r'"x" is a torch.Tensor that is conj.*Pass x.resolve_conj\(\)', 1, Tensor(self.x, True))
            self.refused(self.scale, TypeError, r'"x" is a torch.Tensor that is neg.*Pass x.resolve_neg\(\)', 1, Tensor(self.x, False, True))

    def test_memory_without_dlpack_is_named(self):
        for value, name in ((memoryview(self.x), "memoryview"), (bytearray(8), "bytearray"), (array.array("f", [1]), "array"), ((ctypes.c_float * 2)(), "c_float_Array_2")):
            self.refused(self.scale, TypeError, rf'parameter "x" is a {name} .*Pass numpy.asarray\(x\)', 1.0, value)

    def test_properties_name_what_they_want(self):
        kernel = self.scale.compile()
        for call, message in (
            (lambda: kernel.warm("x"), "device is a str .an int is wanted."),
            (lambda: kernel.set_constant("c", 1), "value is an int .an array with __dlpack__ is wanted."),
            (lambda: kernel.set_constant(1, self.x), "name is an int .a string is wanted."),
            (lambda: kernel.tune(1.0, self.x, seconds="x"), "seconds is a str .a number is wanted."),
            (lambda: kernel.tune(1.0, self.x, seconds=None), "seconds is a NoneType .a number is wanted."),
            (lambda: kernel.occupancy(1.5), "threads is a float .an int is wanted."),
            (lambda: kmux.used_on(1, 0), "tensor is an int .an array with __dlpack__ is wanted."),
            (lambda: kmux.used_on(self.x, None), "stream is a NoneType .an int is wanted."),
            (lambda: kmux.cached_program(3), "origin is an int .a string is wanted."),
            (lambda: kmux.cache_program("a", 3), "program is an int .a Program is wanted."),
            (lambda: pickle.dumps(kernel.resolution), "cannot be pickled .*Pickle what to_dict"),
        ):
            with self.assertRaisesRegex(TypeError, message):
                call()
        self.assertIsNone(kernel.warm(np.int64(0)))
        resolution = kernel.resolution
        self.assertTrue(copy.copy(resolution) is resolution and copy.deepcopy([resolution])[0] is resolution)

    def test_functions_of_tensors_refuse_the_same(self):
        @kmux.jit(target="cpu")
        def copied(b: kmux.JitBuilder, x):
            n = b.symbol("n")
            given, made = b.input("x", [n]), b.empty("y", "float32", [n])
            b.variant("c", sources={"k.c": "void k(const float* x, float* y, long long n) { y[0] = x[0]; }"})
            b.launch("k", [given, made, n])
            return made

        self.assertEqual(copied(self.x)[0], 1)
        swapped, named = self.x.astype(">f4"), "jit function 'copied': parameter 'x' is a NumPy array of dtype '>f4'"
        calls = (copied, copied.compile, copied.program, lambda x: copied.par_compile([x], [{}]))
        for call in calls:
            with self.assertRaisesRegex(TypeError, named) as raised:
                call(swapped)
            self.assertIs(type(raised.exception), TypeError)
        for call in calls:
            with self.assertRaisesRegex(TypeError, "jit function 'copied': parameter 'x' is 3, given for a tensor .an eager jit function takes arrays"):
                call(3)

    def test_other_functions_name_what_they_refuse(self):
        swapped, kernel = self.x.astype(">f4"), self.scale.compile()
        odd = types.SimpleNamespace(__cuda_array_interface__={"shape": (1,), "typestr": "<f4", "data": None, "version": 3})
        for call, message in (
            (lambda: kernel.set_constant("c", swapped), "^value is a NumPy array of dtype"),
            (lambda: kmux.used_on(swapped, 0), "^tensor is a NumPy array of dtype"),
            (lambda: kernel.tune(1.0, swapped), '^kernel "scale": parameter "x" is a NumPy array of dtype'),
            (lambda: self.scale.compile(1.0, odd), '^kernel "scale": parameter "x" has no address in its __cuda_array_interface__'),
        ):
            with self.assertRaisesRegex(TypeError, message) as raised:
                call()
            self.assertIs(type(raised.exception), TypeError)


if __name__ == "__main__":
    unittest.main()
