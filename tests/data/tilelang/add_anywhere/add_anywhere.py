import cutlass
import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def add_anywhere_kernel(a, b, c, n):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  if ((blockIdx.x * 128) + threadIdx.x) < n:
    tl.make_tensor_at_offset(c.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] = tl.make_tensor_at_offset(a.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] + tl.make_tensor_at_offset(b.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0]
