import cutlass
import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def widen_bytes_kernel(x, y):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  tl.make_tensor_at_offset(y.iterator, ((blockIdx.x * 128) + threadIdx.x), (1,), div_by=1)[0] = cutlass.Float32(cutlass.Uint8(tl.make_tensor_at_offset(x.iterator, ((blockIdx.x * 128) + threadIdx.x), (1,), div_by=1)[0])) * cutlass.Float32(float.fromhex('0x1p-1'))
