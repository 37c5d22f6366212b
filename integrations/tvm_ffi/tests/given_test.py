"""Read-only memory: taken where a kernel reads it, refused where it writes."""

import ctypes
import sys
import types
import unittest

import numpy
import tvm_ffi

import kmux
from kmux import _function

_SOURCE = """
void axpy(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] += 2 * x[i]; }
void twice(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = 2 * x[i]; }
"""


def ones(writable=True):
    made = numpy.ones(4, "float32")
    made.flags.writeable = writable
    return made


class Exported:
    """An array of another library: only the versioned form of DLPack says that it is read-only."""

    def __init__(self, read_only=True):
        self.memory, self.read_only, self.asked = ones(), read_only, []

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append(max_version)
        tensor = tvm_ffi.from_dlpack(self.memory)
        if max_version is None:
            return tensor.__dlpack__()
        capsule = tensor.__dlpack__(max_version=max_version)
        address = ctypes.pythonapi.PyCapsule_GetPointer(ctypes.py_object(capsule), b"dltensor_versioned")
        ctypes.c_uint64.from_address(address + 24).value |= int(self.read_only)
        return capsule


class Unversioned(Exported):
    """It knows the first form alone."""

    def __dlpack__(self, *, stream=None):
        return super().__dlpack__()


class ReadOnly(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.axpy = kmux.kernel(_SOURCE, "axpy(x: f32[n], y: inout f32[n])", args="x, y, n: i64")
        cls.twice = kmux.kernel(_SOURCE, "twice(x: f32[n], out y: f32[n])", args="x, y, n: i64")

    def calls(self, kernel):
        plain = _function._plain_launch.__get__(kernel)
        return kernel, kernel.launch, plain, kernel.compile(ones()), kernel.compile(ones()).launch

    def refused(self, call, name, what, *arguments, **named):
        message = f'parameter "{name}" is a read-only {what} .the kernel writes it.. Pass a copy.'
        with self.assertRaisesRegex(ValueError, message):
            call(*arguments, **named)

    def test_arrays_of_numpy_are_read(self):
        for number, call in enumerate(self.calls(self.axpy)):
            y = ones()
            call(ones(writable=False), y)
            call(x=numpy.broadcast_to(numpy.float32(3), (1,)), y=y[:1])
            self.assertEqual(y.tolist(), [9, 3, 3, 3], number)
        for call in (self.twice, self.twice.compile(ones())):
            made = call(ones(writable=False))
            self.assertEqual((type(made), made.tolist()), (numpy.ndarray, [2] * 4))

    def test_arrays_of_numpy_are_not_written(self):
        fixed = ones(writable=False)
        for call in self.calls(self.axpy):
            self.refused(call, "y", "NumPy array", ones(), fixed)
            self.refused(call, "y", "NumPy array", y=fixed, x=fixed)
        for call in self.calls(self.twice):
            self.refused(call, "y", "NumPy array", ones(), fixed)
        self.assertEqual(fixed.tolist(), [1] * 4)

    def test_arrays_of_others_are_read_and_not_written(self):
        for call in self.calls(self.axpy):
            x, y = Exported(), ones()
            call(x, y)
            self.assertEqual((y.tolist(), x.asked), ([3] * 4, [(1, 0)]))
            self.refused(call, "y", f"{__name__}.Exported", ones(), x)
            self.assertEqual(x.memory.tolist(), [1] * 4)

    def test_arrays_of_others_that_may_be_written_are(self):
        for kind in (lambda: Exported(read_only=False), Unversioned):
            for call in self.calls(self.axpy):
                y = kind()
                call(ones(), y)
                self.assertEqual(y.memory.tolist(), [3] * 4)

    def test_arrays_of_jax_are_not_written(self):
        jax = types.ModuleType("jax")
        jax.Array = Unversioned
        sys.modules["jax"] = jax
        try:
            for call in self.calls(self.axpy):
                y = ones()
                call(Unversioned(), y)
                self.assertEqual(y.tolist(), [3] * 4)
                self.refused(call, "y", "jax.Array", ones(), Unversioned())
        finally:
            del sys.modules["jax"]

    def test_tensors_of_tvm_ffi_are_taken_as_they_are(self):
        for call in self.calls(self.axpy):
            x, y = tvm_ffi.from_dlpack(ones()), ones()
            call(x, tvm_ffi.from_dlpack(y))
            call(x, y)
            self.assertEqual(y.tolist(), [5] * 4)

    def test_constants_take_them(self):
        source = "__constant__ float w[4]; __global__ void k(float* y) { y[threadIdx.x] = w[threadIdx.x]; }"
        program = "kernel k(y: inout f32[4])\n  constant w: f32[4]\n  launch k<<<1, 4>>>(y)"
        kernel = kmux.kernel(source, program).compile(ones())
        for value in (ones(writable=False), Exported()):
            y = numpy.zeros(4, "float32")
            kernel.set_constant("w", value)
            kernel(y)
            self.assertEqual(y.tolist(), [1] * 4)

    def test_jit_functions_take_and_refuse_them(self):
        @kmux.jit
        def axpy(b: kmux.JitBuilder, x, y):
            n = b.symbol("n")
            b.input("x", [n])
            b.inout("y", [n])
            b.variant("c", sources={"axpy.c": _SOURCE})
            b.launch("axpy", ["x", "y", "n"])

        for _ in range(2):
            for x in (ones(), ones(writable=False), Exported()):
                y = ones()
                axpy(x, y)
                self.assertEqual(y.tolist(), [3] * 4)
            self.refused(axpy, "y", "NumPy array", ones(), ones(writable=False))
            self.refused(axpy, "y", f"{__name__}.Exported", ones(), Exported())
        self.assertTrue(axpy.compile(ones(), ones()).signature["params"][1]["buffer"]["inout"])


if __name__ == "__main__":
    unittest.main()
