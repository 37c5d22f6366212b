//! kmux
//! kernel march_over_planes(inout to: f32[72, 136, 136], from: f32[72, 136, 136])
//!   launch march_over_planes<<<[4, 8], [32, 16]>>>(to, from, 128, 128, 64)
// A stencil of radius 4 in three dimensions. A block goes along z with a column of nine planes in registers, which move on by one each
// time, and the plane in the middle of them in shared memory with a border.
constexpr int kRadius = 4;
constexpr int kWide = 32;
constexpr int kHigh = 16;
__constant__ float weights[kRadius + 1] = {0.5f, 0.04f, 0.03f, 0.02f, 0.01f};

// What a thread has of its column: the planes behind, the one that it is at, and those ahead.
struct Column {
  float behind[kRadius];
  float here;
  float ahead[kRadius];

  __device__ void move_on() {
    for (int i = kRadius - 1; i > 0; --i) behind[i] = behind[i - 1];
    behind[0] = here;
    here = ahead[0];
    for (int i = 0; i + 1 < kRadius; ++i) ahead[i] = ahead[i + 1];
  }
};

__global__ void march_over_planes(float* to, const float* from, int width, int height, int depth) {
  __shared__ float tile[kHigh + 2 * kRadius][kWide + 2 * kRadius];
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = width + 2 * kRadius;
  const int plane = row * (height + 2 * kRadius);
  const int u = threadIdx.x + kRadius;
  const int v = threadIdx.y + kRadius;
  bool reads = true, writes = true;
  if (x >= width + kRadius || y >= height + kRadius) reads = false;
  if (x >= width || y >= height) writes = false;

  int next = (y + kRadius) * row + x + kRadius;
  int at = next + (kRadius - 1) * plane;
  Column column;
  for (int i = kRadius - 2; i >= 0; --i, next += plane) {
    if (reads) column.behind[i] = from[next];
  }
  if (reads) column.here = from[next];
  next += plane;
  for (int i = 0; i < kRadius; ++i, next += plane) {
    if (reads) column.ahead[i] = from[next];
  }

#pragma unroll 9
  for (int z = 0; z < depth; ++z) {
    column.move_on();
    if (reads) column.ahead[kRadius - 1] = from[next];
    next += plane;
    at += plane;
    __syncthreads();
    tile[v][u] = column.here;
    if (threadIdx.x < kRadius) {
      tile[v][threadIdx.x] = from[at - kRadius];
      tile[v][u + blockDim.x] = from[at + (int)blockDim.x];
    }
    if (threadIdx.y < kRadius) {
      tile[threadIdx.y][u] = from[at - kRadius * row];
      tile[v + blockDim.y][u] = from[at + (int)blockDim.y * row];
    }
    __syncthreads();
    float sum = weights[0] * column.here;
    for (int i = 1; i <= kRadius; ++i) {
      const float in_plane = tile[v][u - i] + tile[v][u + i] + tile[v - i][u] + tile[v + i][u];
      sum += weights[i] * (in_plane + column.behind[i - 1] + column.ahead[i - 1]);
    }
    if (writes) to[at] = sum;
  }
}
