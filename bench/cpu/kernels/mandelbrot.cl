kernel void mandelbrot(global int* out, int width, int height, int limit) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= width || y >= height) return;
  const float cr = -2.0f + 3.0f * x / width, ci = -1.5f + 3.0f * y / height;
  float zr = 0.0f, zi = 0.0f;
  int steps = 0;
  while (steps < limit && zr * zr + zi * zi < 4.0f) {
    const float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++steps;
  }
  out[y * width + x] = steps;
}
