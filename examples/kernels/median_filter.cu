// The middle one of nine bytes, by a sorting network of minima and maxima, without a branch. Beyond the border lies
// the border's element.
__device__ void order(unsigned char& a, unsigned char& b) {
  const unsigned char low = min(a, b), high = max(a, b);
  a = low;
  b = high;
}

__global__ void median_filter(const unsigned char* x, unsigned char* y, int height, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  unsigned char p[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    const int r = min(max(row + i / 3 - 1, 0), height - 1), c = min(max(column + i % 3 - 1, 0), width - 1);
    p[i] = x[r * width + c];
  }
  // Rows in order, then columns of the rows' results; the median is that of three.
  for (int i = 0; i < 9; i += 3) order(p[i], p[i + 1]), order(p[i + 1], p[i + 2]), order(p[i], p[i + 1]);
  unsigned char low = max(max(p[0], p[3]), p[6]);
  unsigned char high = min(min(p[2], p[5]), p[8]);
  order(p[1], p[4]), order(p[4], p[7]), order(p[1], p[4]);
  unsigned char middle = p[4];
  order(low, middle), order(middle, high), order(low, middle);
  y[row * width + column] = middle;
}
