import cutlass
import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def add_tiles_kernel(a, b, c):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  __1 = tl.make_rmem_tensor((4,), cutlass.Float32)
  __1.store(tl.make_tensor_at_offset(a.iterator, ((blockIdx.x * 1024) + (threadIdx.x * 4)), (4,), div_by=4).load() + tl.make_tensor_at_offset(b.iterator, ((blockIdx.x * 1024) + (threadIdx.x * 4)), (4,), div_by=4).load())
  tl.make_tensor_at_offset(c.iterator, ((blockIdx.x * 1024) + (threadIdx.x * 4)), (4,), div_by=4).store(__1.load())
