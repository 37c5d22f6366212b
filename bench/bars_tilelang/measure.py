"""What one process takes with one execution backend, as a line of JSON: measure.py BACKEND TARGET

cold_s: from `tilelang.compile` of a GEMM to its first result, TileLang and torch being imported; what caches have counts, so who asks
names their folders. call_us: a call of a kernel that does next to nothing, the median of rounds.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

import torch

import tilelang
import tilelang.language as T

_ROUNDS, _CALLS = 15, 400
_N = 128


def gemm(on_device: bool):
    """C = A @ B: tensor cores on a device, three loops elsewhere."""
    dtype = "float16" if on_device else "float32"

    @T.prim_func
    def tiled(A: T.Tensor((1024, 1024), dtype), B: T.Tensor((1024, 1024), dtype), C: T.Tensor((1024, 1024), "float32")):
        with T.Kernel(8, 8, threads=128) as (bx, by):
            A_shared = T.alloc_shared((128, 32), dtype)
            B_shared = T.alloc_shared((32, 128), dtype)
            C_local = T.alloc_fragment((128, 128), "float32")
            T.clear(C_local)
            for k in T.Pipelined(32, num_stages=2):
                T.copy(A[by * 128, k * 32], A_shared)
                T.copy(B[k * 32, bx * 128], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * 128, bx * 128])

    @T.prim_func
    def plain(A: T.Tensor((_N, _N), dtype), B: T.Tensor((_N, _N), dtype), C: T.Tensor((_N, _N), "float32")):
        with T.Kernel(_N) as row:
            for column in T.serial(_N):
                C[row, column] = 0.0
                for k in T.serial(_N):
                    C[row, column] += A[row, k] * B[k, column]

    return tiled if on_device else plain


def nothing():
    """y = x, of 16 elements."""

    @T.prim_func
    def copied(x: T.Tensor((16,), "float32"), y: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=16):
            for i in T.Parallel(16):
                y[i] = x[i]

    return copied


def nothing_on_the_host():
    """y = x, of 16 elements."""

    @T.prim_func
    def copied(x: T.Tensor((16,), "float32"), y: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            for i in T.serial(16):
                y[i] = x[i]

    return copied


def cold_seconds(backend: str, target: str, device: str) -> float:
    """Compiles and calls the GEMM, and looks at what it computes."""
    function = gemm(device == "cuda")
    size, dtype = (1024, torch.float16) if device == "cuda" else (_N, torch.float32)
    a, b = (torch.randn(size, size, dtype=dtype, device=device) for _ in range(2))
    expected = (a.float() @ b.float()).cpu()
    begin = time.perf_counter()
    kernel = tilelang.compile(function, out_idx=[2], target=target, execution_backend=backend)
    made = kernel(a, b).cpu()
    seconds = time.perf_counter() - begin
    torch.testing.assert_close(made, expected, atol=1e-1, rtol=1e-2)
    return seconds


def call_microseconds(backend: str, target: str, device: str) -> float:
    """The calls follow each other; a device is waited for after each round, which is not counted."""
    function = nothing() if device == "cuda" else nothing_on_the_host()
    kernel = tilelang.compile(function, target=target, execution_backend=backend)
    x, y = torch.randn(16, device=device), torch.zeros(16, device=device)
    wait: Callable[[], None] = torch.cuda.synchronize if device == "cuda" else lambda: None
    rounds = []
    for _ in range(_ROUNDS):
        begin = time.perf_counter()
        for _ in range(_CALLS):
            kernel(x, y)
        rounds.append((time.perf_counter() - begin) / _CALLS)
        wait()
    torch.testing.assert_close(x, y)
    return 1e6 * statistics.median(rounds)


def main(backend: str, target: str) -> None:
    device = "cpu" if target == "c" else "cuda"
    if device == "cuda":
        torch.zeros(1, device="cuda")
        target = "cuda"
    if backend.startswith("kmux"):
        import kmux_tilelang

        kmux_tilelang.install(strict=True)
    cold = cold_seconds(backend, target, device)
    print(json.dumps({"cold_s": cold, "call_us": call_microseconds(backend, target, device)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
