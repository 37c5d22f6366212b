// Every pixel of the result lies between four of the image, which are read wherever they are: a gather.
__global__ void bilinear_resize(const float* x, float* y, int height, int width, int new_height, int new_width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= new_width || row >= new_height) return;
  // Centres of pixels lie on centres.
  const float v = fminf(fmaxf((row + 0.5f) * height / new_height - 0.5f, 0.0f), height - 1.0f);
  const float u = fminf(fmaxf((column + 0.5f) * width / new_width - 0.5f, 0.0f), width - 1.0f);
  const int top = static_cast<int>(v), left = static_cast<int>(u);
  const int bottom = min(top + 1, height - 1), right = min(left + 1, width - 1);
  const float down = v - top, along = u - left;
  const float upper = x[top * width + left] * (1.0f - along) + x[top * width + right] * along;
  const float lower = x[bottom * width + left] * (1.0f - along) + x[bottom * width + right] * along;
  y[row * new_width + column] = upper * (1.0f - down) + lower * down;
}
