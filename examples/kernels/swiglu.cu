// silu(gate) * up in bfloat16, as the middle of a transformer's feed-forward layer has it.
#include <cuda_bf16.h>

__global__ void swiglu(const __nv_bfloat16* gate, const __nv_bfloat16* up, __nv_bfloat16* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float g = __bfloat162float(gate[i]);
    y[i] = __float2bfloat16(g / (1.0f + __expf(-g)) * __bfloat162float(up[i]));
  }
}
