#!/usr/bin/env python3
"""Kernels as operators of torch on a GPU: "check NAME ok" and "bar NAME VALUE UNIT", a line each.

usage: bench/bars_python/torch_op.py [--device cuda] [--backend nvrtc] [--compiler inductor] [NAME...]

Needs torch, a GPU, and kmux installed or KMUX_TVM_FFI_LIBRARY and PYTHONPATH set. With `--device cpu --backend cpu` it is a
rehearsal without a GPU, which has no graphs. The exit code is 1 if a check fails.

- opcheck: torch.library.opcheck of an operator that changes an argument, of one that returns a tensor, and of one with a gradient
- compiled: torch.compile(fullgraph=True) over both, for several lengths; `--compiler aot_eager` where inductor has no compiler
- compiled_graphs: the same with CUDA graphs (mode "reduce-overhead")
- captured: torch.cuda.graph captures both, and replays with other values
- torch_op_over_kernel_us: host time of torch.ops.my.saxpy(a, x, y), less that of the kernel itself
"""

import argparse
import functools
import statistics
import sys
import time
import traceback

import torch

import kmux

CALLS = 100  # in a burst: fewer than the driver's queue holds
ROUNDS = 501
N = 1024
LENGTHS = (1, 255, 1024, 100_003)

SAXPY = """
__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
SCALE = """
__global__ void scale(const float* x, float a, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
"""


class Operators:
    def __init__(self, device: str, backend: str, compiler: str) -> None:
        self.device, self.compiler = device, compiler
        made = functools.partial(kmux.kernel, grid="ceildiv(n, 256)", block=256, execution_backend=backend)
        self.kernel = made(SAXPY, "saxpy(a: f32, x: f32[n], y: inout f32[n])")
        self.saxpy = kmux.torch.op("my::saxpy", self.kernel)
        backward = made(SCALE, "scale(grad_y: f32[n], a: f32, out grad_x: f32[n])", args="grad_y, a, grad_x, n")
        scale = made(SCALE, "scale(x: f32[n], a: f32, out y: f32[n])")
        self.scale = kmux.torch.op("my::scale", scale, backward=backward)

    def numbers(self, n: int) -> torch.Tensor:
        return torch.arange(n, dtype=torch.float32, device=self.device) % 97

    def both(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """12 * x + 2 * y + 2; y becomes y + 2 * x."""
        torch.ops.my.saxpy(2.0, x, y)
        return torch.ops.my.scale(y + 4 * x + 1, 2.0)

    def opcheck(self) -> None:
        x = self.numbers(N)
        torch.library.opcheck(self.saxpy, (2.0, x, self.numbers(N)))
        torch.library.opcheck(self.scale, (x, 3.0))
        torch.library.opcheck(self.scale, (self.numbers(N).requires_grad_(), 3.0))
        x.requires_grad_()
        self.scale(x, 3.0).sum().backward()
        torch.testing.assert_close(x.grad, torch.full_like(x, 3))

    def check_whole(self, **how: object) -> None:
        torch._dynamo.reset()
        whole = torch.compile(self.both, fullgraph=True, **how)
        for n in LENGTHS:
            for _ in range(3):  # with graphs the first calls warm up and record
                x, y = self.numbers(n), self.numbers(n) + 1
                torch.testing.assert_close(whole(x, y), 14 * x + 4)
                torch.testing.assert_close(y, 3 * x + 1)

    def compiled(self) -> None:
        self.check_whole(backend=self.compiler)

    def compiled_graphs(self) -> None:
        self.check_whole(mode="reduce-overhead")

    def captured(self) -> None:
        x, y = self.numbers(N), self.numbers(N)
        other = torch.cuda.Stream()
        other.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(other):
            self.both(x, y.clone())  # compiles: a capture cannot
        torch.cuda.current_stream().wait_stream(other)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            made = self.both(x, y)
        for value in (1.0, 5.0, -2.0):
            x.fill_(value)
            y.fill_(7)
            graph.replay()
            torch.testing.assert_close(y, torch.full_like(y, 7 + 2 * value))
            torch.testing.assert_close(made, torch.full_like(y, 12 * value + 16))

    def torch_op_over_kernel_us(self) -> float:
        x, y = self.numbers(N), self.numbers(N)
        contest = {"operator": torch.ops.my.saxpy, "kernel": self.kernel, "launch": self.kernel.launch}
        times: dict[str, list[float]] = {name: [] for name in contest}
        for _ in range(ROUNDS):  # in turns
            for name, function in contest.items():
                self.wait()
                begin = time.perf_counter()
                for _ in range(CALLS):
                    function(0.0, x, y)
                times[name].append((time.perf_counter() - begin) / CALLS * 1e6)
        self.wait()
        for name, values in times.items():
            print(f"  {name}: {statistics.median(values):.2f} us", file=sys.stderr)
        return statistics.median(a - b for a, b in zip(times["operator"], times["kernel"]))

    def wait(self) -> None:
        if self.device != "cpu":
            torch.cuda.synchronize()


CHECKS = ("opcheck", "compiled", "compiled_graphs", "captured")
BAR = "torch_op_over_kernel_us"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--backend", default="nvrtc")
    parser.add_argument("--compiler", default="inductor")
    parser.add_argument("names", nargs="*", choices=[[], *CHECKS, BAR], metavar="NAME")
    given = parser.parse_args()
    names = given.names or [*CHECKS, BAR]
    operators = Operators(given.device, given.backend, given.compiler)
    place = torch.cuda.get_device_name() if given.device != "cpu" else "the processor"
    print(f"torch {torch.__version__}, kmux {kmux.__version__}, {given.backend} on {place}", file=sys.stderr)
    status = 0
    for name in names:
        if given.device == "cpu" and name in ("compiled_graphs", "captured"):
            print(f"skipped {name}: the processor has no graphs", file=sys.stderr)
            continue
        try:
            if name == BAR:
                print(f"bar {name} {operators.torch_op_over_kernel_us():.3f} us", flush=True)
            else:
                getattr(operators, name)()
                print(f"check {name} ok", flush=True)
        except Exception:  # noqa: BLE001: the next one can still be said
            traceback.print_exc()
            print(f"check {name} failed", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
