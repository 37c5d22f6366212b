import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def grid_barrier_kernel(middle, x, y):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  tl.make_tensor_at_offset(middle.iterator, ((blockIdx.x * 256) + threadIdx.x), (1,), div_by=1)[0] = tl.make_tensor_at_offset(x.iterator, ((blockIdx.x * 256) + threadIdx.x), (1,), div_by=1)[0] + tl.make_tensor_at_offset(x.iterator, ((((blockIdx.x * 256) + threadIdx.x) + 1) & 4095), (1,), div_by=1)[0]
  tl.sync_grid()
  tl.make_tensor_at_offset(y.iterator, ((blockIdx.x * 256) + threadIdx.x), (1,), div_by=1)[0] = tl.make_tensor_at_offset(middle.iterator, ((blockIdx.x * 256) + threadIdx.x), (1,), div_by=1)[0] + tl.make_tensor_at_offset(middle.iterator, ((((blockIdx.x * 256) + threadIdx.x) + 1) & 4095), (1,), div_by=1)[0]
