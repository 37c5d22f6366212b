#include "simt/units/warp_product.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "simt/units/matrix_fragments.h"
#include "simt/units/matrix_sums.h"
#include "simt/units/quad_products.h"
#include "simt/units/sparse_places.h"

namespace kmux::simt {
namespace {

using ProductLanes = std::span<const ProductOperands* const>;

/// The matrices of a warp as numbers that it computes with, rows one after another.
template <class T>
struct ProductMatrices {
  alignas(64) T a[kMaxProductRows * kMaxProductDepth];
  alignas(64) T b[kMaxGroupDepth * kMaxProductColumns];
  alignas(64) T sums[kMaxProductRows * kMaxProductColumns];
};

// Not on the stack, and not in the thread's own memory, which the stack may have to hold: up to 180 KiB.
template <class T>
ProductMatrices<T>& product_matrices() {
  static thread_local const auto all = std::make_unique<ProductMatrices<T>>();
  return *all;
}

// Loads A, or of a sparse product the elements that are there.
template <class T>
void load_packed_a(ProductLanes lanes, unsigned warp, const SharedWindow& window, T* a) {
  const ProductOperands& first = *lanes.front();
  const MatrixProduct product = packed(*first.product);
  if (first.a == nullptr) {
    const MatrixPart part{product.a, product.is_a_mn_major, warp * product.m, product.m, product.k};
    read_described(window, first.a_descriptor, part, product.k, 1, a);
  } else {
    for (unsigned lane = 0; lane < lanes.size(); ++lane) read_a(product, lane, lanes[lane]->a, a);
  }
}

// Puts the elements of A that are there to their places among zeros.
template <class T>
void unpack_a(ProductLanes lanes, const T* packed_a, T* a) {
  const MatrixProduct& product = *lanes.front()->product;
  std::vector<std::uint32_t> metadata;
  for (const ProductOperands* const lane : lanes) metadata.push_back(lane->metadata);
  std::fill_n(a, product.m * product.k, T{0});
  for (unsigned i = 0; i < product.m * product.k / 2U; ++i) {
    const MatrixPlace place = place_of_packed(product, metadata, i);
    a[place.row * product.k + place.column] = packed_a[i];
  }
}

template <class T>
void load_a(ProductLanes lanes, unsigned warp, const SharedWindow& window, T* a) {
  const MatrixProduct& product = *lanes.front()->product;
  if (product.is_sparse) {
    T packed_a[kMaxProductRows * kMaxProductDepth / 2];
    load_packed_a(lanes, warp, window, packed_a);
    unpack_a(lanes, packed_a, a);
  } else {
    load_packed_a(lanes, warp, window, a);
  }
  if constexpr (!std::is_same_v<T, std::uint32_t>) {
    if (product.is_negated) std::for_each_n(a, product.m * product.k, [](T& x) { x = -x; });
  }
}

template <class T>
void load_b(ProductLanes lanes, const SharedWindow& window, T* b) {
  const ProductOperands& first = *lanes.front();
  const MatrixProduct& product = *first.product;
  if (first.b == nullptr) {
    const MatrixPart part{product.b, product.is_b_mn_major, 0, product.n, product.k};
    read_described(window, first.b_descriptor, part, 1, product.n, b);
  } else {
    for (unsigned lane = 0; lane < lanes.size(); ++lane) read_b(product, lane, lanes[lane]->b, b);
  }
}

// Loads C, or 0 where it does not count or is added at the end.
template <class T>
void load_sums(ProductLanes lanes, T* sums) {
  const ProductOperands& first = *lanes.front();
  const MatrixProduct& product = *first.product;
  if (!first.is_added || product.is_saturated) {
    std::fill_n(sums, product.m * product.n, T{0});
  } else {
    for (unsigned lane = 0; lane < lanes.size(); ++lane) read_c(product, lane, lanes[lane]->sums, sums);
  }
}

// Adds s32 with clamping: products alone never leave its range.
std::uint32_t clamped_sum(std::uint32_t c, std::uint32_t product) {
  const std::int64_t sum = std::int64_t{static_cast<std::int32_t>(c)} + static_cast<std::int32_t>(product);
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(sum, Limits::min(), Limits::max()));
}

// Adds C to the finished products of saturated sums.
void add_clamped(ProductLanes lanes, std::uint32_t* sums) {
  const MatrixProduct& product = *lanes.front()->product;
  if (!lanes.front()->is_added) return;
  std::uint32_t c[kMaxProductRows * kMaxProductColumns];
  for (unsigned lane = 0; lane < lanes.size(); ++lane) read_c(product, lane, lanes[lane]->sums, c);
  for (unsigned i = 0; i < product.m * product.n; ++i) sums[i] = clamped_sum(c[i], sums[i]);
}

template <class T>
void add_numbers(const MatrixProduct& product, const T* a, const T* b, T* sums) {
  const ProductExtents extents{product.m, product.n, product.k};
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    if (product.a == MatrixType::kB1) return add_bit_counts(extents, product.is_xor, a, b, sums);
  }
  add_product(extents, a, b, sums);
}

template <class T>
void multiply_as(ProductLanes lanes, unsigned warp, const SharedWindow& window) {
  const MatrixProduct& product = *lanes.front()->product;
  ProductMatrices<T>& all = product_matrices<T>();
  load_a(lanes, warp, window, all.a);
  load_b(lanes, window, all.b);
  load_sums(lanes, all.sums);
  add_numbers(product, all.a, all.b, all.sums);
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    if (product.is_saturated) add_clamped(lanes, all.sums);
  }
  for (unsigned lane = 0; lane < lanes.size(); ++lane) write_d(product, lane, all.sums, lanes[lane]->sums);
}

}  // namespace

void multiply_warp(std::span<const ProductOperands* const> lanes, unsigned warp, const SharedWindow& window) {
  const MatrixProduct& product = *lanes.front()->product;
  if (products_of(product) > 1) return multiply_quads(lanes);
  const MatrixType type = product.a;
  if (type == MatrixType::kF64) return multiply_as<double>(lanes, warp, window);
  if (is_integer(type)) return multiply_as<std::uint32_t>(lanes, warp, window);
  multiply_as<float>(lanes, warp, window);
}

}  // namespace kmux::simt
