// Bytes that are 0 or 1 on a torus.
__global__ void game_of_life(const unsigned char* from, unsigned char* to, int height, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  int alive = 0;
  for (int v = -1; v <= 1; ++v)
    for (int u = -1; u <= 1; ++u)
      if (u != 0 || v != 0) alive += from[(row + v + height) % height * width + (column + u + width) % width];
  to[row * width + column] = alive == 3 || (alive == 2 && from[row * width + column] == 1);
}
