import cutlass
import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def column_sums_kernel(total, x, m):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  part = tl.make_rmem_tensor((1),cutlass.Float32)
  part[0] = cutlass.Float32(float.fromhex('0x0p+0'))
  for i in range(32):
    if ((blockIdx.x * 32) + i) < m:
      part[0] = part[0] + tl.make_tensor_at_offset(x.iterator, (((cutlass.Int64(blockIdx.x) * cutlass.Int64(8192)) + (cutlass.Int64(i) * cutlass.Int64(256))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0]
  tl.AtomicAdd((total.iterator + threadIdx.x), part[0])
