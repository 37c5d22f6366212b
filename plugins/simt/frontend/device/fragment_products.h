// Products of nvcuda::wmma (mma.h), by the units of mma.sync.
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

// A product of one tile. b1 counts words along K.
template <int m, int n, int k, class T, class D, class C>
constexpr kmux::simt::MatrixProduct kmux_tile_product(bool is_saturated, bool is_xor) {
  kmux::simt::MatrixProduct product{};
  product.m = kmux_product<m, n, k>::tile_rows;
  product.n = 8;
  product.k = kmux_element<T>::kind == kmux_type::kB1 ? k / 32 : k;
  product.a = product.b = kmux_element<T>::kind;
  product.c = kmux_element<C>::kind;
  product.d = kmux_element<D>::kind;
  product.is_saturated = is_saturated;
  product.is_xor = is_xor;
  return product;
}

// Sums of the unit's tiles: C becomes D, which may have another type.
template <int m, int n, int k, class T, class LA, class LB, class D, class C>
KMUX_DEVICE void kmux_multiply_tiles(const kmux::simt::MatrixProduct& product, fragment<accumulator, m, n, k, D>& d,
                                     const fragment<matrix_a, m, n, k, T, LA>& a,
                                     const fragment<matrix_b, m, n, k, T, LB>& b,
                                     const fragment<accumulator, m, n, k, C>& c) {
  using own = kmux_product<m, n, k>;
  using of_a = kmux_matrix<matrix_a, m, n, k, T>;
  using of_b = kmux_matrix<matrix_b, m, n, k, T>;
  fragment<accumulator, m, n, k, D> made;  // D may be the same object as C
  for (unsigned tile = 0; tile < own::tiles; ++tile) {
    alignas(8) char sums[own::sums * (sizeof(D) > sizeof(C) ? sizeof(D) : sizeof(C))];
    __builtin_memcpy(sums, c.x + tile * own::sums, own::sums * sizeof(C));
    const auto* const from_a = a.x + (of_a::distinct > of_a::tile ? tile * of_a::tile : 0);
    const auto* const from_b = b.x + (of_b::distinct > of_b::tile ? tile * of_b::tile : 0);
    if constexpr (own::is_turned) {
      kmux_multiply(&product, sums, from_b, from_a);
    } else {
      kmux_multiply(&product, sums, from_a, from_b);
    }
    __builtin_memcpy(made.x + tile * own::sums, sums, own::sums * sizeof(D));
  }
  d = made;
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
  static constexpr kmux::simt::MatrixProduct products[] = {kmux_tile_product<m, n, k, T, D, C>(false, false),
                                                           kmux_tile_product<m, n, k, T, D, C>(is_whole, false)};
  kmux_multiply_tiles(products[saturates], d, a, b, c);
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
      kmux_tile_product<m, n, k, precision::b1, int, int>(false, false),
      kmux_tile_product<m, n, k, precision::b1, int, int>(false, true)};
  kmux_multiply_tiles(products[operation == bmmaBitOpXOR], d, a, b, c);
}

}  // namespace experimental
}  // namespace wmma
}  // namespace nvcuda
