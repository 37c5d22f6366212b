// Products of nvcuda::wmma (mma.h), by the unit of mma.sync.
#pragma once
#include <kmux/fragments.h>

extern "C" void kmux_multiply(const kmux::simt::MatrixProduct*, void* sums, const void* a,
                              const void* b) __asm__("kmux.unit.mma") __attribute__((convergent));

namespace nvcuda {
namespace wmma {

KMUX_DEVICE float __float_to_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "r"(__builtin_bit_cast(unsigned, x)));
  return __builtin_bit_cast(float, bits);
}

namespace experimental {
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

// b1 counts words along K.
template <int m, int n, int k, class T, class D, class C>
constexpr kmux::simt::MatrixProduct kmux_description(bool is_saturated, bool is_xor) {
  kmux::simt::MatrixProduct product{};
  product.m = kmux_product<m, n, k>::rows;
  product.n = kmux_product<m, n, k>::columns;
  product.k = kmux_element<T>::kind == kmux_type::kB1 ? k / 32 : k;
  product.a = product.b = kmux_element<T>::kind;
  product.c = kmux_element<C>::kind;
  product.d = kmux_element<D>::kind;
  product.is_saturated = is_saturated;
  product.is_xor = is_xor;
  return product;
}

// The unit turns C into D, which may have another type, and may be the same object.
template <int m, int n, int k, class T, class LA, class LB, class D, class C>
KMUX_DEVICE void kmux_multiply_by(const kmux::simt::MatrixProduct& product, fragment<accumulator, m, n, k, D>& d,
                                  const fragment<matrix_a, m, n, k, T, LA>& a,
                                  const fragment<matrix_b, m, n, k, T, LB>& b,
                                  const fragment<accumulator, m, n, k, C>& c) {
  alignas(8) char sums[sizeof d.x > sizeof c.x ? sizeof d.x : sizeof c.x];
  __builtin_memcpy(sums, c.x, sizeof c.x);
  if constexpr (kmux_product<m, n, k>::is_turned) {
    kmux_multiply(&product, sums, b.x, a.x);
  } else {
    kmux_multiply(&product, sums, a.x, b.x);
  }
  __builtin_memcpy(d.x, sums, sizeof d.x);
}

// Returns the nearest number that is neither infinite nor NaN, which becomes 0.
template <class T>
KMUX_DEVICE T kmux_finite(T x) {
  constexpr float limit = sizeof(T) == 2 ? 65504.0f : 0x1.fffffep127f;
  const float number = static_cast<float>(x);
  return number != number ? T(0.0f) : number > limit ? T(limit) : number < -limit ? T(-limit) : x;
}

// `saturates`: integers are clamped to their range; of other numbers infinities become the largest ones, and NaN 0.
template <int m, int n, int k, class T, class LA, class LB, class D, class C>
KMUX_DEVICE void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LA>& a,
                          const fragment<matrix_b, m, n, k, T, LB>& b, const fragment<accumulator, m, n, k, C>& c,
                          bool saturates = false) {
  using element = kmux_element<T>;
  static_assert(element::has_sums(kmux_element<D>::kind) && element::has_sums(kmux_element<C>::kind) &&
                    element::kind != kmux_type::kB1,
                "mma_sync has no product of these types");
  constexpr bool is_whole = kmux::simt::is_integer(element::kind);
  static constexpr kmux::simt::MatrixProduct products[] = {kmux_description<m, n, k, T, D, C>(false, false),
                                                           kmux_description<m, n, k, T, D, C>(is_whole, false)};
  kmux_multiply_by(products[saturates], d, a, b, c);
  if constexpr (sizeof(D) <= 4 && !is_whole) {
    if (saturates)
      for (auto& x : d.x) x = kmux_finite(x);
  }
}

namespace experimental {

template <int m, int n, int k, class LA, class LB>
KMUX_DEVICE void bmma_sync(fragment<accumulator, m, n, k, int>& d,
                           const fragment<matrix_a, m, n, k, precision::b1, LA>& a,
                           const fragment<matrix_b, m, n, k, precision::b1, LB>& b,
                           const fragment<accumulator, m, n, k, int>& c, bmmaBitOp operation = bmmaBitOpXOR,
                           bmmaAccumulateOp = bmmaAccumulateOpPOPC) {
  static constexpr kmux::simt::MatrixProduct products[] = {
      kmux_description<m, n, k, precision::b1, int, int>(false, false),
      kmux_description<m, n, k, precision::b1, int, int>(false, true)};
  kmux_multiply_by(products[operation == bmmaBitOpXOR], d, a, b, c);
}

}  // namespace experimental
using experimental::bmma_sync;  // where CUDA's header has it
}  // namespace wmma
}  // namespace nvcuda
