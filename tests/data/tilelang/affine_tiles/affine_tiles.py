import cutlass
import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def affine_tiles_kernel(x, y, n, offset, slope):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  for i in cutlass.range_constexpr(4):
    if (((blockIdx.x * 1024) + (i * 256)) + threadIdx.x) < n:
      tl.make_tensor_at_offset(y.iterator, (((cutlass.Int64(blockIdx.x) * cutlass.Int64(1024)) + (cutlass.Int64(i) * cutlass.Int64(256))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] = (slope * tl.make_tensor_at_offset(x.iterator, (((cutlass.Int64(blockIdx.x) * cutlass.Int64(1024)) + (cutlass.Int64(i) * cutlass.Int64(256))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0]) + cutlass.Float32(offset)
