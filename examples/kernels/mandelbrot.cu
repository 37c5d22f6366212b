// Each pixel leaves its loop when it is done: threads of a warp take different numbers of turns.
__global__ void mandelbrot(const float* corner, int* counts, int height, int width, float step, int limit) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const float cx = corner[0] + column * step, cy = corner[1] + row * step;
  float x = 0.0f, y = 0.0f;
  int count = 0;
  while (count < limit && x * x + y * y < 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++count;
  }
  counts[row * width + column] = count;
}
