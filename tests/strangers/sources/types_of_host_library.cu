//! kmux
//! kernel halve(inout x: bf16[64], out ok: i32[64])
//!   launch halve<<<1, 64>>>(x)
//!   launch compare<<<1, 64>>>(x, ok)
// The number type comes from a header for the host, as cuBLAS has it.
#include <cublas_v2.h>
#include <stdio.h>

typedef __nv_bfloat16 Number;

cublasHandle_t handle;

__global__ void halve(Number* x) { x[threadIdx.x] = __float2bfloat16(threadIdx.x / 2.0f); }
__global__ void compare(const Number* x, int* ok) { ok[threadIdx.x] = __bfloat162float(x[threadIdx.x]) == threadIdx.x / 2.0f; }

int main() {
  cublasCreate(&handle);
  printf("created\n");
}
