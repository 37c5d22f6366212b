// A dot product of each pair of rows, a tile of 16 threads a row. The names of cooperative groups say who exchanges
// values.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void reduce_cooperative_groups(const float* x, const float* y, float* dots, int rows, int columns) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = tile.thread_rank(); i < columns; i += tile.size()) sum += x[row * columns + i] * y[row * columns + i];
  for (int distance = tile.size() / 2; distance > 0; distance /= 2) sum += tile.shfl_down(sum, distance);
  if (tile.thread_rank() == 0) dots[row] = sum;
}
