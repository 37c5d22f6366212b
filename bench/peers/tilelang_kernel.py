"""The kernel as TileLang's users write it, for a GPU and for the processor.

A module of its own, since it cannot be imported without TileLang.
"""

import tilelang.language as T


def saxpy(n, block=1024, threads=256):
    @T.prim_func
    def saxpy(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32"), z: T.Tensor((n,), "float32"), a: T.float32):
        with T.Kernel(T.ceildiv(n, block), threads=threads) as bx:
            for i in T.Parallel(block):
                z[bx * block + i] = a * x[bx * block + i] + y[bx * block + i]

    return saxpy


def saxpy_on_host(n, block=1024):
    @T.prim_func
    def saxpy(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32"), z: T.Tensor((n,), "float32"), a: T.float32):
        with T.Kernel(T.ceildiv(n, block)) as bx:
            for i in T.serial(block):
                z[bx * block + i] = a * x[bx * block + i] + y[bx * block + i]

    return saxpy
