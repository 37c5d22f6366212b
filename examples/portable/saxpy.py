import cutlass
import cutlass.cute as cute


@cute.kernel
def saxpy(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor, a: cutlass.Float32, n: cutlass.Int32):
    i = cute.arch.block_idx()[0] * 256 + cute.arch.thread_idx()[0]
    if i < n:
        z[i] = a * x[i] + y[i]
