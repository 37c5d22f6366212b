# SPDX-License-Identifier: Apache-2.0
"""Arrays without DLPack, by `__array_interface__` and `__cuda_array_interface__`; pinned memory of the host."""

import os
import pathlib
import subprocess
import sys
import unittest

import kmux
import numpy as np
from kmux import _function
from kmux._library import functions
from kmux._owner import Owner

_SOURCE = """
void axpy(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] += 2 * x[i]; }
"""
_ON_A_DEVICE = """
import ctypes
import kmux
source = '''__global__ void ones(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
__global__ void axpy(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] += 2 * x[threadIdx.x]; }'''
ones = kmux.kernel(source, "ones(n: i64, out x: f32[n])", grid=1, block=256, args="x, i32(n)", target="cuda", execution_backend="nvrtc")
axpy = kmux.kernel(source, "axpy(x: f32[n], y: inout f32[n])", grid=1, block=256, execution_backend="nvrtc")
if "-> none" in (found := str(kmux.resolve(axpy.program, target="cuda", execution_backend="nvrtc"))):
    raise SystemExit(print(found))


class Array:
    def __init__(self, tensor, read_only=False, **more):
        self.tensor = tensor
        data = (tensor.data_ptr(), read_only)
        self.__dict__["__cuda_array_interface__"] = {"version": 3, "shape": tuple(tensor.shape), "typestr": "<f4", "data": data, "strides": None, **more}


def outcome(*arguments):
    try:
        return axpy(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


x, y = ones(8), ones(8)
axpy(Array(x), Array(y))
print(axpy.compile(Array(x)).device, list(axpy._kernels._known))
driver, stream = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
for given in (None, 1, 2, stream.value, 0, 0xbad):
    print(given if given != stream.value else "own", outcome(Array(x, stream=given), y))
print(outcome(Array(x, read_only=True), y), outcome(x, Array(y, read_only=True)))
print(outcome(Array(x, mask=Array(x)), y))
print(outcome(Array(x, data=(4096, False)), y))
"""


class Array:
    """Memory by the protocol of NumPy alone."""

    def __init__(self, array, **more):
        self.array = array
        self.more = more

    @property
    def __array_interface__(self):
        return {**self.array.__array_interface__, **self.more}


class Whole:
    """An object whose interface is what it was given."""

    def __init__(self, interface):
        self.__array_interface__ = interface


class Interfaces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.axpy = kmux.kernel(_SOURCE, "axpy(x: f32[n], y: inout f32[n])", args="x, y, n: i64")

    def test_what_breaks_the_protocol_is_refused_by_name(self):
        x, y = np.ones(4, "float32"), np.ones(4, "float32")
        for more, shown in (
            ({"shape": None}, "has shape None"), ({"shape": 4}, "has shape 4"), ({"shape": (4.0,)}, r"has shape \(4.0,\)"),
            ({"shape": "4"}, "has shape '4'"), ({"strides": 4}, "has strides 4"), ({"strides": (4, 4)}, r"has strides \(4, 4\)"),
            ({"typestr": None}, "has typestr None"), ({"data": ("4", False)}, r"has data \('4', False\)"),
        ):  # fmt: skip
            with self.subTest(more), self.assertRaisesRegex(TypeError, f'parameter "x" {shown} in its __array_interface__ .*wanted'):
                self.axpy(Array(x, **more), y)
        for interface in ({}, 3):
            with self.assertRaisesRegex(TypeError, 'parameter "x" has .* __array_interface__'):
                self.axpy(Whole(interface), y)
        with self.assertRaisesRegex(TypeError, '"x" has shape None in its __array_interface__'):
            self.axpy.compile()(Array(x, shape=None), y)
        self.axpy(Array(x, shape=[np.int64(4)], strides=[np.int64(4)]), y)
        self.assertEqual(y.tolist(), [3, 3, 3, 3])

    def calls(self):
        made = self.axpy.compile()
        return self.axpy, self.axpy.launch, made, made.launch, _function._plain_launch.__get__(made)

    def refused(self, kind, message, x, y):
        for call in self.calls():
            with self.assertRaisesRegex(kind, message):
                call(x, y)

    def test_memory_of_the_host_is_taken(self):
        for call in self.calls():
            x, y = np.ones(8, "float32"), np.ones(8, "float32")
            call(Array(x), Array(y))
            call(Array(x, strides=None), y)
            self.assertEqual(y.tolist(), [5] * 8)
        self.assertEqual(self.axpy.compile(Array(x)).target.split(":")[0], "cpu")

    def test_numbers_of_numpy_are_numbers(self):
        scale = kmux.kernel("void scale(float a, float* y, int n) { for (int i = 0; i < n; ++i) y[i] *= a; }", "scale(a: f32, y: inout f32[n])")
        y = np.ones(4, "float32")
        scale(np.float32(3), Array(y))
        self.assertEqual(y.tolist(), [3] * 4)

    def test_memory_that_must_not_be_written_is_not(self):
        x, y = np.ones(8, "float32"), np.ones(8, "float32")
        x.flags.writeable = False
        for call in self.calls():
            call(Array(x), y)
        self.refused(ValueError, 'parameter "y" is a read-only .*Array', y, Array(x))

    def test_what_a_kernel_cannot_read_is_refused_by_name(self):
        x, y = np.ones(8, "float32"), np.ones(8, "float32")
        for more, problem in (
            ({"mask": Array(x)}, "has a mask in its __array_interface__"),
            ({"typestr": ">f4"}, r"has typestr '>f4' .*foreign order"),
            ({"typestr": "|V4"}, r"has typestr '\|V4' .*no dtype of a kernel"),
            ({"strides": (6,)}, "has strides .*not whole elements"),
            ({"data": b"bytes"}, r"has no address .*Pass numpy.asarray\(x\)"),
        ):
            self.refused(TypeError, f'kernel "axpy": parameter "x" {problem}', Array(x, **more), y)
        self.refused(TypeError, '"x" has dtype int32 .expected float32', Array(x, typestr="<i4"), y)
        self.refused(ValueError, '"x" to be a contiguous tensor', Array(x, strides=(8,), shape=(4,)), y)

    def test_memory_of_a_device_is_taken_in_the_order_of_its_stream(self):
        driver = os.environ.get("KMUX_TEST_FAKE_CUDA", "")
        if not pathlib.Path(driver, "libcuda.so.1").is_file():
            self.skipTest("needs the CUDA driver of tests/fakes")
        path = os.pathsep.join(filter(None, (driver, os.environ.get("LD_LIBRARY_PATH"))))
        words = [sys.executable, "-B", "-c", _ON_A_DEVICE]
        done = subprocess.run(words, env={**os.environ, "LD_LIBRARY_PATH": path}, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        if "NVRTC" in done.stdout or ("-> none" in done.stdout and "  nvrtc  " not in done.stdout):
            self.skipTest(f"needs NVRTC and backend nvrtc ({done.stdout.strip()})")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "cuda:0 [(2, 0)]")
        self.assertEqual(lines[1:5], ["None None", "1 None", "2 None", "own None"])
        self.assertRegex(lines[5], '0 TypeError: kernel "axpy": parameter "x" has stream 0 .*Give 1 or 2')
        self.assertRegex(lines[6], "^2989 .*INVALID_HANDLE")
        self.assertRegex(lines[7], '^None ValueError: kernel "axpy": parameter "y" is a read-only')
        self.assertRegex(lines[8], 'parameter "x" has a mask in its __cuda_array_interface__')
        self.assertRegex(lines[9], 'parameter "x" has an address .*no CUDA driver')

    def test_pinned_memory_is_memory_of_the_host(self):
        for kind in (3, 11):  # DLPack's kDLCUDAHost and kDLROCMHost
            for index in (0, 1):
                for call in self.calls():
                    x, y = np.ones(8, "float32"), np.ones(8, "float32")
                    pinned = [functions.foreign_tensor(each.ctypes.data, each.shape, None, "float32", kind, index, Owner(each)) for each in (x, y)]
                    call(*pinned)
                    call(x, pinned[1])
                    self.assertEqual(y.tolist(), [5] * 8)


if __name__ == "__main__":
    unittest.main()
