//! kmux
//! program jacobi(x: f32[height: i32, width: i32], out y: f32[height, width], steps: i32)
//!   description "steps of the heat equation between fixed borders; a loop of launches between two halves of a workspace"
//!   reference "y = x after `steps` Jacobi iterations"
//!   example height = 200, width = 200, steps = 50
//!   let cells = height * width
//!   let plane = cells * 4
//!   assert steps >= 0, "steps is not negative"
//!   workspace grids: plane * 2 bytes
//!   launch copy<<<ceildiv(cells, 256), 256>>>(x, grids, cells)
//!   for step in 0 .. steps
//!     launch jacobi<<<[ceildiv(width, 32), ceildiv(height, 8)], [32, 8]>>>(
//!         grids offset floormod(step, 2) * plane, grids offset floormod(step + 1, 2) * plane, height, width)
//!   launch copy<<<ceildiv(cells, 256), 256>>>(grids offset floormod(steps, 2) * plane, y, cells)
// One step of the heat equation between fixed borders. The dispatch launches it `steps` times, from one half of the
// workspace to the other.
__global__ void jacobi(const float* from, float* to, int height, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const int i = row * width + column;
  const bool border = row == 0 || column == 0 || row == height - 1 || column == width - 1;
  to[i] = border ? from[i] : 0.25f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
}

__global__ void copy(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
