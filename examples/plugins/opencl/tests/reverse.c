void reverse(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i / 32 * 32 + 31 - i % 32];
}
