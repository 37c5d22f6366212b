//! kmux
//! kernel clamp(out ok: i32[32])
//!   standard "c++20"
//!   launch clamp_all<<<1, 32>>>(ok)
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

template <typename T, typename = std::enable_if_t<std::is_floating_point<T>::value>>
__device__ T half_of(T x) {
  return x / 2;
}

template <typename T, typename Op>
__device__ T apply(T a, T b, Op op) {
  return op(a, b);
}

__global__ void clamp_all(int* ok) {
  const std::int32_t i = threadIdx.x;
  const float low = std::numeric_limits<float>::lowest();
  const auto limited = std::min(std::max(i, 4), 20);
  float a = half_of(float(i)), b = low;
  std::swap(a, b);
  std::uint32_t bits;
  memcpy(&bits, &b, sizeof bits);
  const bool is_same = std::is_same<decltype(limited), const std::int32_t>::value;
  ok[i] = limited == (i < 4 ? 4 : i > 20 ? 20 : i) && a < -1e38f && std::sqrt(b * b) == std::abs(b) && is_same &&
          apply(2, 3, std::plus<int>()) == 5 && (bits != 0 || i == 0) && std::size_t(i) < 32;
}
