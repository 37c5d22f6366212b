//! kmux
//! kernel grid(out ok: i32[64])
//!   launch fill<<<1, 64>>>(ok)
#include <memory>
#include <stdexcept>
#include <cuda_runtime.h>

// Members for the host beside those for the device.
class Grid {
 public:
  Grid(int width, int height) : width_(width), height_(height) {
    if (cudaMalloc(&cells_, sizeof(float) * width * height) != cudaSuccess) throw std::runtime_error("no memory");
  }
  __device__ Grid(float* cells, int width, int height) : cells_(cells), width_(width), height_(height) {}
  void release() { cudaFree(cells_); }
  void launch();
  __host__ __device__ int size() const { return width_ * height_; }
  __device__ float& at(int x, int y) { return cells_[y * width_ + x]; }

 private:
  float* cells_ = nullptr;
  int width_, height_;
};

struct Owner {
  std::unique_ptr<Grid> grid;
  ~Owner() {
    if (grid) grid->release();
  }
};

__global__ void fill(int* ok) {
  __shared__ float cells[64];
  Grid grid(cells, 8, 8);
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  grid.at(x, y) = threadIdx.x;
  __syncthreads();
  ok[threadIdx.x] = cells[threadIdx.x] == threadIdx.x && grid.size() == 64;
}

void Grid::launch() { fill<<<1, 64>>>(nullptr); }
