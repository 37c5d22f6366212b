// Seven points. A block owns a column of the grid and walks it along z: the plane below and the plane above stay in
// registers.
__global__ void stencil_3d(const float* x, float* y, int depth, int height, int width, float weight) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const int plane = height * width, here = row * width + column;
  float below = 0.0f, middle = x[here];
  for (int z = 0; z < depth; ++z) {
    const float* p = x + z * plane + here;
    const float above = z + 1 < depth ? p[plane] : 0.0f;
    float sum = below + above;
    if (column > 0) sum += p[-1];
    if (column + 1 < width) sum += p[1];
    if (row > 0) sum += p[-width];
    if (row + 1 < height) sum += p[width];
    y[z * plane + here] = middle + weight * (sum - 6.0f * middle);
    below = middle;
    middle = above;
  }
}
