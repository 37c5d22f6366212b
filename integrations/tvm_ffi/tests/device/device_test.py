"""device_test.py: arrays of torch and cupy on a GPU. Without one, or without the two, it is skipped.

Needs kmux installed, or KMUX_TVM_FFI_LIBRARY and PYTHONPATH set.
"""

import importlib.util
import sys
import unittest

N = 1 << 16
SOURCE = """
extern "C" __global__ void add(const float* a, const float* b, float* c, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
LONG = 200_000_000  # cycles of the device: longer than it takes to get the next launch there


def add_program():
    import kmux

    arguments = [{"tensor": name} for name in "abc"] + [{"expr": "n", "dtype": "int64"}]
    launch = {"kernel": "add", "args": arguments, "grid": [["ceildiv", "n", 256]], "block": [256]}
    return kmux.program(
        {
            "name": "add",
            "signature": {
                "params": [{"name": name, "buffer": {"dtype": "float32", "shape": ["n"]}} for name in "abc"],
                "outputs": ["c"],
                "symbols": [{"name": "n"}],
            },
            "variants": [{"dialect": "cuda", "sources": [{"path": "add.cu"}], "body": {"steps": [{"launch": launch}]}}],
        },
        {"add.cu": SOURCE},
    )


class Device(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import kmux

        cls.add = kmux.compile(add_program(), target="cuda")
        cls.add.await_best()

    def test_takes_and_returns_tensors_of_torch(self):
        import torch

        a, b = torch.rand(N, device="cuda"), torch.rand(N, device="cuda")
        c = self.add(a, b)
        self.assertIsInstance(c, torch.Tensor)
        self.assertTrue(torch.equal(c, a + b))

    def test_outputs_come_from_the_pool_of_torch(self):
        import torch

        a = torch.ones(N, device="cuda")
        before = torch.cuda.memory_allocated()
        c = self.add(a, a)
        self.assertEqual(torch.cuda.memory_allocated() - before, 4 * N)
        del c
        self.assertEqual(torch.cuda.memory_allocated(), before)

    def test_launches_on_the_stream_of_torch(self):
        import torch

        a, b, c = (torch.ones(N, device="cuda") for _ in range(3))
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(LONG)
            a.fill_(5)
            self.add(a, b, c)  # on another stream it would see ones
        stream.synchronize()
        self.assertTrue(torch.equal(c, torch.full_like(c, 6)))

    def test_takes_arrays_of_cupy(self):
        import cupy

        a, b, c = cupy.arange(N, dtype="float32"), cupy.ones(N, "float32"), cupy.zeros(N, "float32")
        self.add(a, b, c)
        self.assertTrue(bool((c == a + b).all()))
        self.assertTrue(bool((cupy.from_dlpack(self.add(a, b)) == a + b).all()))

    def test_launches_on_the_stream_that_is_set(self):
        import cupy
        import torch
        import tvm_ffi

        a, b, c = (cupy.ones(N, "float32") for _ in range(3))
        cupy.cuda.Device().synchronize()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(LONG)
        with cupy.cuda.ExternalStream(stream.cuda_stream):
            a.fill(5)
        with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda:0"), stream.cuda_stream):
            self.add(a, b, c)
        stream.synchronize()
        self.assertTrue(bool((c == 6).all()))

    def test_refuses_arrays_of_the_host(self):
        import numpy
        import torch

        a = torch.ones(N, device="cuda")
        with self.assertRaisesRegex(ValueError, 'parameter "b" is on'):
            self.add(a, numpy.ones(N, "float32"), a)


def missing():
    for name in ("torch", "cupy"):
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    import torch

    return "" if torch.cuda.is_available() else "torch finds no device"


if __name__ == "__main__":
    if reason := missing():
        print(f"needs an NVIDIA GPU with torch and CuPy ({reason})")
        sys.exit(77)
    unittest.main()
