import cutlass
import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def overlap_kernel(middle, x):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  tl.make_tensor_at_offset(middle.iterator, ((blockIdx.x * 256) + threadIdx.x), (1,), div_by=1)[0] = tl.make_tensor_at_offset(x.iterator, ((blockIdx.x * 256) + threadIdx.x), (1,), div_by=1)[0] + cutlass.Float32(float.fromhex('0x1p+0'))
  tl.griddepcontrol_launch_dependents()
@cute.kernel
def overlap_kernel_1(middle, y):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  tl.griddepcontrol_wait()
  tl.make_tensor_at_offset(y.iterator, ((blockIdx.x * 256) + threadIdx.x), (1,), div_by=1)[0] = tl.make_tensor_at_offset(middle.iterator, ((blockIdx.x * 256) + threadIdx.x), (1,), div_by=1)[0] * cutlass.Float32(float.fromhex('0x1p+1'))
