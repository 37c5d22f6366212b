#include "simt/units/matrix_sums.h"

#include <bit>
#include <cstring>

namespace kmux::simt {
namespace {

constexpr unsigned kTile = 8;  // rows and columns whose sums are in registers at the same time

/// A vector of the compiler: loops over plain arrays become one less reliably.
template <class T>
struct RowOf {
  typedef T Vector __attribute__((vector_size(kTile * sizeof(T))));  // NOLINT(modernize-use-using): GCC 12 needs it
};

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline std::uint32_t fused(std::uint32_t a, std::uint32_t b, std::uint32_t c) { return a * b + c; }

template <class T>
[[gnu::always_inline]] inline void add_to_tile(const ProductExtents& extents, const T* a, const T* b, T* c) {
  using Vector = typename RowOf<T>::Vector;
  Vector sums[kTile];
#pragma GCC unroll 8
  for (unsigned row = 0; row < kTile; ++row) std::memcpy(&sums[row], c + row * extents.n, sizeof(Vector));
  for (unsigned k = 0; k < extents.k; ++k) {
    Vector factors;
    std::memcpy(&factors, b + k * extents.n, sizeof(Vector));
#pragma GCC unroll 8
    for (unsigned row = 0; row < kTile; ++row) {
      const T factor = a[row * extents.k + k];
      Vector sum = sums[row];
#pragma GCC unroll 8
      for (unsigned column = 0; column < kTile; ++column) sum[column] = fused(factor, factors[column], sum[column]);
      sums[row] = sum;
    }
  }
#pragma GCC unroll 8
  for (unsigned row = 0; row < kTile; ++row) std::memcpy(c + row * extents.n, &sums[row], sizeof(Vector));
}

template <class T>
[[gnu::always_inline]] inline void add_tiles(const ProductExtents& extents, const T* a, const T* b, T* c) {
  for (unsigned row = 0; row < extents.m; row += kTile) {
    for (unsigned column = 0; column < extents.n; column += kTile)
      add_to_tile(extents, a + row * extents.k, b + column, c + row * extents.n + column);
  }
}

template <class T>
using AddProduct = void (*)(const ProductExtents&, const T*, const T*, T*);

template <class T>
void add_on_any(const ProductExtents& extents, const T* a, const T* b, T* c) {
  add_tiles(extents, a, b, c);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2,fma")]] void add_with_avx2(const ProductExtents& extents, const T* a, const T* b, T* c) {
  add_tiles(extents, a, b, c);
}

template <class T>
AddProduct<T> fastest() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? add_with_avx2<T> : add_on_any<T>;
}
#else
template <class T>
AddProduct<T> fastest() {
  return add_on_any<T>;
}
#endif

template <class T>
void add_fast(const ProductExtents& extents, const T* a, const T* b, T* c) {
  static const AddProduct<T> add = fastest<T>();
  add(extents, a, b, c);
}

}  // namespace

void add_product(const ProductExtents& extents, const float* a, const float* b, float* c) {
  add_fast(extents, a, b, c);
}

void add_product(const ProductExtents& extents, const double* a, const double* b, double* c) {
  add_fast(extents, a, b, c);
}

void add_product(const ProductExtents& extents, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) {
  add_fast(extents, a, b, c);
}

void add_bit_counts(const ProductExtents& extents, bool is_xor, const std::uint32_t* a, const std::uint32_t* b,
                    std::uint32_t* c) {
  for (unsigned row = 0; row < extents.m; ++row) {
    for (unsigned k = 0; k < extents.k; ++k) {
      const std::uint32_t bits = a[row * extents.k + k];
      for (unsigned column = 0; column < extents.n; ++column) {
        const std::uint32_t others = b[k * extents.n + column];
        c[row * extents.n + column] +=
            static_cast<std::uint32_t>(std::popcount(is_xor ? bits ^ others : bits & others));
      }
    }
  }
}

}  // namespace kmux::simt
