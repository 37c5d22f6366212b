// Fragments of nvcuda::wmma (mma.h): their types, and the places of their elements in a lane. These are the places of
// mma.sync, of which a fragment has one or two tiles, so the same unit multiplies.
#pragma once

#if KMUX_WAVEFRONT != 32
#error not for this processor (fragments of matrices where a warp has 64 lanes)
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include <kmux/matrix_places.h>
#include <kmux/matrix_product.h>
#include <kmux/warps.h>

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct b1;
struct s4;
struct u4;
}  // namespace precision
}  // namespace experimental

using kmux_type = kmux::simt::MatrixType;

// An element type: its objects, of which some have several elements, and the types of sums.
template <class T>
struct kmux_element {
  static constexpr bool is_known = false;
};
#define KMUX_ELEMENT(T, object, count, matrix_type, sums)        \
  template <>                                                    \
  struct kmux_element<T> {                                       \
    static constexpr bool is_known = true;                       \
    using type = object;                                         \
    static constexpr unsigned elements = count;                  \
    static constexpr kmux_type kind = kmux_type::matrix_type;    \
    static constexpr bool has_sums(kmux_type s) { return sums; } \
  };
KMUX_ELEMENT(__half, __half, 1, kF16, s == kmux_type::kF16 || s == kmux_type::kF32)
KMUX_ELEMENT(__nv_bfloat16, __nv_bfloat16, 1, kBf16, s == kmux_type::kF32)
KMUX_ELEMENT(precision::tf32, float, 1, kTf32, s == kmux_type::kF32)
KMUX_ELEMENT(double, double, 1, kF64, s == kmux_type::kF64)
KMUX_ELEMENT(signed char, signed char, 1, kS8, s == kmux_type::kS32)
KMUX_ELEMENT(unsigned char, unsigned char, 1, kU8, s == kmux_type::kS32)
KMUX_ELEMENT(experimental::precision::s4, int, 8, kS4, s == kmux_type::kS32)
KMUX_ELEMENT(experimental::precision::u4, unsigned, 8, kU4, s == kmux_type::kS32)
KMUX_ELEMENT(experimental::precision::b1, unsigned, 32, kB1, s == kmux_type::kS32)
KMUX_ELEMENT(float, float, 1, kF32, false)
KMUX_ELEMENT(int, int, 1, kS32, false)
#undef KMUX_ELEMENT

constexpr bool kmux_is_shape(int m, int n, int k, int m2, int n2, int k2) { return m == m2 && n == n2 && k == k2; }
constexpr bool kmux_is_large(int m, int n, int k) {
  return kmux_is_shape(m, n, k, 16, 16, 16) || kmux_is_shape(m, n, k, 32, 8, 16) || kmux_is_shape(m, n, k, 8, 32, 16);
}
// Returns true if A and B of `type` have this shape.
constexpr bool kmux_has_inputs(int m, int n, int k, kmux_type type) {
  switch (type) {
    case kmux_type::kF16:
    case kmux_type::kBf16:
    case kmux_type::kS8:
    case kmux_type::kU8:
      return kmux_is_large(m, n, k);
    case kmux_type::kTf32:
      return kmux_is_shape(m, n, k, 16, 16, 8);
    case kmux_type::kF64:
      return kmux_is_shape(m, n, k, 8, 8, 4);
    case kmux_type::kS4:
    case kmux_type::kU4:
      return kmux_is_shape(m, n, k, 8, 8, 32);
    case kmux_type::kB1:
      return kmux_is_shape(m, n, k, 8, 8, 128);
    default:
      return false;
  }
}
// Returns true if sums of `type` have this shape.
constexpr bool kmux_has_sums(int m, int n, int k, kmux_type type) {
  switch (type) {
    case kmux_type::kF16:
      return kmux_is_large(m, n, k);
    case kmux_type::kF32:
      return kmux_is_large(m, n, k) || kmux_is_shape(m, n, k, 16, 16, 8);
    case kmux_type::kF64:
      return kmux_is_shape(m, n, k, 8, 8, 4);
    case kmux_type::kS32:
      return kmux_is_large(m, n, k) || kmux_is_shape(m, n, k, 8, 8, 32) || kmux_is_shape(m, n, k, 8, 8, 128);
    default:
      return false;
  }
}

// The product that the unit computes: of m8n32, the transposed one.
template <int m, int n, int k>
struct kmux_product {
  static constexpr bool is_turned = m < n;
  static constexpr unsigned rows = is_turned ? n : m, columns = is_turned ? m : n;
};

// The matrix of a fragment, whose objects are those of a register, or words that have several elements.
template <class Use, int m, int n, int k, class T>
struct kmux_matrix {
  using product = kmux_product<m, n, k>;
  using element = kmux_element<T>;
  using object = typename element::type;
  static constexpr bool is_sums = __is_same(Use, accumulator), is_a = __is_same(Use, matrix_a);
  static constexpr bool is_rows = is_a != product::is_turned;  // the unit takes it as A
  static constexpr unsigned extent = is_rows ? product::rows : product::columns, depth = k / element::elements;
  static constexpr unsigned tile = (is_rows && extent > 8 ? 16 : 8) * depth / 32;  // objects of a lane in a tile of mma
  static constexpr unsigned distinct = is_sums ? m * n / 32 : extent * depth / 32;
  static constexpr unsigned per = sizeof(object) < 4 ? 4 / sizeof(object) : 1;  // objects of a register
  // Fragments of f16 have 16 elements, which fewer places repeat.
  static constexpr unsigned count = !is_sums && element::kind == kmux_type::kF16 ? 16 : distinct;

  // Returns the offset of object `i` of this lane where rows, or columns, begin `stride` objects after each other.
  static __attribute__((always_inline)) size_t offset(unsigned i, size_t stride, bool is_row_major) {
    const unsigned number = i % distinct, lane = kmux_lane();
    kmux::simt::MatrixPlace at = is_sums   ? kmux::simt::place_in_all_sums(lane, product::rows, number)
                                 : is_rows ? kmux::simt::place_in_rows(lane, per, tile, number)
                                           : kmux::simt::place_in_columns(lane, per, tile, number);
    if (product::is_turned) at = {at.column, at.row};
    return is_row_major ? at.row * stride + at.column : at.column * stride + at.row;
  }
};

template <class Use, int m, int n, int k, class T, class Layout>
constexpr bool kmux_is_fragment() {
  if constexpr (!kmux_element<T>::is_known) {
    return false;
  } else if constexpr (__is_same(Use, accumulator)) {
    return kmux_has_sums(m, n, k, kmux_element<T>::kind) && __is_same(Layout, void);
  } else {
    constexpr bool is_packed = kmux_element<T>::elements > 1;
    constexpr bool is_row = __is_same(Layout, row_major), is_a = __is_same(Use, matrix_a);
    return kmux_has_inputs(m, n, k, kmux_element<T>::kind) && (is_a || __is_same(Use, matrix_b)) &&
           (is_row || __is_same(Layout, col_major)) && (!is_packed || is_row == is_a);
  }
}

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  static_assert(kmux_is_fragment<Use, m, n, k, T, Layout>(), "wmma has no fragments of this shape, type and layout");
  using kmux_own = kmux_matrix<Use, m, n, k, T>;

 public:
  using element_type = T;
  using storage_element_type = typename kmux_own::object;
  static constexpr int num_elements = kmux_own::count;
  static constexpr int num_storage_elements = kmux_own::count;
  alignas(8) storage_element_type x[kmux_own::count];
};

template <class Use, int m, int n, int k, class T, class L, class V>
KMUX_DEVICE void fill_fragment(fragment<Use, m, n, k, T, L>& f, const V& value) {
  for (auto& x : f.x) x = static_cast<typename kmux_element<T>::type>(value);
}

// Elements in memory have `stride` elements from one row, or column, to the next. All lanes come before any reads.
template <class Use, int m, int n, int k, class T, class L>
KMUX_DEVICE void kmux_load(fragment<Use, m, n, k, T, L>& f, const void* p, unsigned stride, bool is_row_major) {
  using matrix = kmux_matrix<Use, m, n, k, T>;
  __syncwarp();
  const auto* const from = static_cast<const typename matrix::object*>(p);
  for (unsigned i = 0; i < matrix::count; ++i)
    f.x[i] = from[matrix::offset(i, stride / matrix::element::elements, is_row_major)];
}
// `p`: of packed elements, the words that have them.
template <class T>
using kmux_pointer =
    std::conditional_t<(kmux_element<T>::elements > 1), const void*, const typename kmux_element<T>::type*>;
template <class Use, int m, int n, int k, class T, class L>
  requires(!__is_same(Use, accumulator))
KMUX_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, L>& f, kmux_pointer<T> p, unsigned stride) {
  kmux_load(f, p, stride, __is_same(L, row_major));
}
template <int m, int n, int k, class T>
KMUX_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, kmux_value<const T*> p, unsigned stride,
                                  layout_t layout) {
  kmux_load(f, p, stride, layout == mem_row_major);
}
template <int m, int n, int k, class T>
KMUX_DEVICE void store_matrix_sync(kmux_value<T*> p, const fragment<accumulator, m, n, k, T>& f, unsigned stride,
                                   layout_t layout) {
  using matrix = kmux_matrix<accumulator, m, n, k, T>;
  __syncwarp();
  for (unsigned i = 0; i < matrix::count; ++i) p[matrix::offset(i, stride, layout == mem_row_major)] = f.x[i];
}

}  // namespace wmma
}  // namespace nvcuda
