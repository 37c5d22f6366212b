// The kernels of kernels/ as native C++ for a processor. Compiled when the bar is measured, by each available compiler,
// and called with the program's tensors in its order.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

template <class T>
T* tensor(void* const* tensors, int which) {
  return static_cast<T*>(tensors[which]);
}

}  // namespace

extern "C" {

// Loops i-k-j, the innermost along rows.
void product_in_registers(void* const* tensors) {
  constexpr long kN = 256;
  constexpr float kAlpha = 0.5f, kBeta = 0.25f;
  float* __restrict c = tensor<float>(tensors, 0);
  const float* __restrict a = tensor<float>(tensors, 1);
  const float* __restrict b = tensor<float>(tensors, 2);
  for (long i = 0; i < kN; ++i) {
    float* row = c + i * kN;
    for (long j = 0; j < kN; ++j) row[j] *= kBeta;
    for (long k = 0; k < kN; ++k) {
      const float factor = kAlpha * a[i * kN + k];
      for (long j = 0; j < kN; ++j) row[j] += factor * b[k * kN + j];
    }
  }
}

void histogram_of_block(void* const* tensors) {
  int* __restrict counts = tensor<int>(tensors, 0);
  const float* __restrict x = tensor<float>(tensors, 1);
  for (long i = 0; i < 2097152; ++i) ++counts[std::clamp(static_cast<int>(x[i] * 256.0f), 0, 255)];
}

void histogram_of_warps(void* const* tensors) {
  std::uint32_t* __restrict counts = tensor<std::uint32_t>(tensors, 0);
  const std::uint8_t* __restrict bytes = tensor<std::uint8_t>(tensors, 1);
  std::memset(counts, 0, sizeof(std::uint32_t) * 60 * 256);
  for (long i = 0; i < 4 * 524288; ++i) ++counts[bytes[i]];
}

void march_over_planes(void* const* tensors) {
  constexpr long kRadius = 4, kWidth = 128, kHeight = 128, kDepth = 64;
  constexpr long kRow = kWidth + 2 * kRadius, kPlane = kRow * (kHeight + 2 * kRadius);
  constexpr float kWeights[] = {0.5f, 0.04f, 0.03f, 0.02f, 0.01f};
  float* __restrict to = tensor<float>(tensors, 0);
  const float* __restrict from = tensor<float>(tensors, 1);
  for (long z = kRadius; z < kDepth + kRadius; ++z) {
    for (long y = kRadius; y < kHeight + kRadius; ++y) {
      const float* p = from + z * kPlane + y * kRow + kRadius;
      float* q = to + z * kPlane + y * kRow + kRadius;
      for (long x = 0; x < kWidth; ++x) {
        float sum = kWeights[0] * p[x];
        for (long i = 1; i <= kRadius; ++i) {
          sum += kWeights[i] *
                 (p[x - i] + p[x + i] + p[x - i * kRow] + p[x + i * kRow] + p[x - i * kPlane] + p[x + i * kPlane]);
        }
        q[x] = sum;
      }
    }
  }
}

void softmax_of_rows(void* const* tensors) {
  constexpr long kRows = 64, kColumns = 4096;
  for (long row = 0; row < kRows; ++row) {
    float* __restrict y = tensor<float>(tensors, 0) + row * kColumns;
    const float* __restrict x = tensor<float>(tensors, 1) + row * kColumns;
    float most = x[0];
    for (long i = 1; i < kColumns; ++i) most = std::max(most, x[i]);
    float sum = 0.0f;
    for (long i = 0; i < kColumns; ++i) {
      y[i] = std::exp(x[i] - most);
      sum += y[i];
    }
    for (long i = 0; i < kColumns; ++i) y[i] /= sum;
  }
}

}  // extern "C"
