// C = A @ B for row-major matrices of any size. A tile of C stays in registers while k goes by.
#include <stdint.h>

enum { kRows = 6, kColumns = 64 };

static void tile(const float* a, const float* b, float* c, int64_t rows, int64_t columns, int64_t n, int64_t k) {
  float sum[kRows][kColumns] = {{0}};
  for (int64_t p = 0; p < k; ++p)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) sum[i][j] += a[i * k + p] * b[p * n + j];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) c[i * n + j] = sum[i][j];
}

static int64_t at_most(int64_t value, int64_t limit) { return value < limit ? value : limit; }

void gemm(const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k) {
  for (int64_t j = 0; j < n; j += kColumns)
    for (int64_t i = 0; i < m; i += kRows) {
      const float* a = A + i * k;
      const float* b = B + j;
      float* c = C + i * n + j;
      if (m - i >= kRows && n - j >= kColumns)
        tile(a, b, c, kRows, kColumns, n, k);  // sizes known to the compiler: the loops become vectors
      else
        tile(a, b, c, at_most(m - i, kRows), at_most(n - j, kColumns), n, k);
    }
}
