import cutlass
import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def look_up_kernel(index, table, y, n):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  for i in cutlass.range_constexpr(4):
    if (((blockIdx.x * 1024) + (i * 256)) + threadIdx.x) < n:
      _if_tensor = tl.make_rmem_tensor((1,), cutlass.Float32)
      _if_tensor[0] = cutlass.Float32(0)
      if ((0 <= tl.make_tensor_at_offset(index.iterator, (((cutlass.Int64(blockIdx.x) * cutlass.Int64(1024)) + (cutlass.Int64(i) * cutlass.Int64(256))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0]) and (tl.make_tensor_at_offset(index.iterator, (((cutlass.Int64(blockIdx.x) * cutlass.Int64(1024)) + (cutlass.Int64(i) * cutlass.Int64(256))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] < 1048576)):
        _if_tensor[0] = tl.make_tensor_at_offset(table.iterator, tl.make_tensor_at_offset(index.iterator, (((cutlass.Int64(blockIdx.x) * cutlass.Int64(1024)) + (cutlass.Int64(i) * cutlass.Int64(256))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0], (1,), div_by=1)[0]
      tl.make_tensor_at_offset(y.iterator, (((cutlass.Int64(blockIdx.x) * cutlass.Int64(1024)) + (cutlass.Int64(i) * cutlass.Int64(256))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] = _if_tensor[0]
