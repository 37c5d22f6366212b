// By tiles in shared memory, whose rows are padded.
__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx];
  __syncthreads();
  out[(blockIdx.x * 16 + ty) * n + blockIdx.y * 16 + tx] = tile[tx][ty];
}
