import cutlass
import cutlass.cute as cute
import tilelang.contrib.cutedsl as tl


@cute.kernel
def relax_kernel(x, y, n):
  y = cute.make_tensor(cute.recast_ptr(y, dtype=cutlass.Float32), (1,))
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  rmod = (((((blockIdx.x * 128) + threadIdx.x) + n) - 1) % n)
  rmod_1 = (((((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)) + cutlass.Int64(n)) - cutlass.Int64(1)) % cutlass.Int64(n))
  rmod_2 = ((((blockIdx.x * 128) + threadIdx.x) + 1) % n)
  rmod_3 = ((((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)) + cutlass.Int64(1)) % cutlass.Int64(n))
  tl.make_tensor_at_offset(y.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] = tl.divf(tl.make_tensor_at_offset(x.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0], cutlass.Float32(float.fromhex('0x1p+1'))) + tl.divf(((tl.make_tensor_at_offset(x.iterator, (rmod_1 if (((cutlass.Int64(0) <= cutlass.Int64(n)) and (cutlass.Int64(0) <= rmod_1)) or ((cutlass.Int64(n) < cutlass.Int64(0)) and (rmod_1 <= cutlass.Int64(0)))) else (rmod_1 + cutlass.Int64(n))), (1,), div_by=1)[0] if ((rmod if (((0 <= n) and (0 <= rmod)) or ((n < 0) and (rmod <= 0))) else (rmod + n)) < n) else cutlass.Float32(float.fromhex('0x0p+0'))) + (tl.make_tensor_at_offset(x.iterator, (rmod_3 if (((cutlass.Int64(0) <= cutlass.Int64(n)) and (cutlass.Int64(0) <= rmod_3)) or ((cutlass.Int64(n) < cutlass.Int64(0)) and (rmod_3 <= cutlass.Int64(0)))) else (rmod_3 + cutlass.Int64(n))), (1,), div_by=1)[0] if ((rmod_2 if (((0 <= n) and (0 <= rmod_2)) or ((n < 0) and (rmod_2 <= 0))) else (rmod_2 + n)) < n) else cutlass.Float32(float.fromhex('0x0p+0')))), cutlass.Float32(float.fromhex('0x1p+2')))
@cute.kernel
def relax_kernel_1(x, y, n):
  y = cute.make_tensor(cute.recast_ptr(y, dtype=cutlass.Float32), (1,))
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  rmod = (((((blockIdx.x * 128) + threadIdx.x) + n) - 1) % n)
  rmod_1 = (((((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)) + cutlass.Int64(n)) - cutlass.Int64(1)) % cutlass.Int64(n))
  rmod_2 = ((((blockIdx.x * 128) + threadIdx.x) + 1) % n)
  rmod_3 = ((((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)) + cutlass.Int64(1)) % cutlass.Int64(n))
  tl.make_tensor_at_offset(x.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] = tl.divf(tl.make_tensor_at_offset(y.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0], cutlass.Float32(float.fromhex('0x1p+1'))) + tl.divf(((tl.make_tensor_at_offset(y.iterator, (rmod_1 if (((cutlass.Int64(0) <= cutlass.Int64(n)) and (cutlass.Int64(0) <= rmod_1)) or ((cutlass.Int64(n) < cutlass.Int64(0)) and (rmod_1 <= cutlass.Int64(0)))) else (rmod_1 + cutlass.Int64(n))), (1,), div_by=1)[0] if ((rmod if (((0 <= n) and (0 <= rmod)) or ((n < 0) and (rmod <= 0))) else (rmod + n)) < n) else cutlass.Float32(float.fromhex('0x0p+0'))) + (tl.make_tensor_at_offset(y.iterator, (rmod_3 if (((cutlass.Int64(0) <= cutlass.Int64(n)) and (cutlass.Int64(0) <= rmod_3)) or ((cutlass.Int64(n) < cutlass.Int64(0)) and (rmod_3 <= cutlass.Int64(0)))) else (rmod_3 + cutlass.Int64(n))), (1,), div_by=1)[0] if ((rmod_2 if (((0 <= n) and (0 <= rmod_2)) or ((n < 0) and (rmod_2 <= 0))) else (rmod_2 + n)) < n) else cutlass.Float32(float.fromhex('0x0p+0')))), cutlass.Float32(float.fromhex('0x1p+2')))
@cute.kernel
def relax_kernel_2(x, n):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  tl.make_tensor_at_offset(x.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] = tl.make_tensor_at_offset(x.iterator, ((cutlass.Int64(blockIdx.x) * cutlass.Int64(128)) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] * cutlass.Float32(float.fromhex('-0x1p+0'))
