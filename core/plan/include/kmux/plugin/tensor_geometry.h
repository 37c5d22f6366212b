#pragma once

#include <stdint.h>

#include "kmux/dlpack.h"

namespace kmux {

// The tensor accessors of the argument checks, on the hot path and when an error is explained. Also printed into
// libraries that run without kmux: must use C++17 and libc only.

/// Returns true for a tensor that is invalid in DLPack: one with dimensions whose `shape` is null.
inline bool lacks_shape(const DLTensor& tensor) { return tensor.shape == nullptr && tensor.ndim > 0; }

/// Returns true if an extent of `tensor` is 0.
inline bool has_no_elements(const DLTensor& tensor) {
  for (int32_t dim = 0; dim < tensor.ndim; ++dim) {
    if (tensor.shape[dim] == 0) return true;
  }
  return false;
}

/// Returns the stride of `dim` in a tensor without gaps; -1, which is never such a stride, if it does not fit 64 bits.
inline int64_t contiguous_stride(const DLTensor& tensor, int32_t dim) {
  int64_t stride = 1;
  for (int32_t inner = tensor.ndim - 1; inner > dim; --inner) {
    if (__builtin_mul_overflow(stride, tensor.shape[inner], &stride)) return -1;
  }
  return stride;
}

/// Returns true if the stride of `dim` affects where elements lie.
inline bool stride_matters(const DLTensor& tensor, int32_t dim) {
  return tensor.shape[dim] != 1 && !has_no_elements(tensor);
}

/// Returns true if the elements of `tensor` lie in row-major order without gaps.
inline bool is_dense(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t stride = 1;
  for (int32_t dim = tensor.ndim - 1; dim >= 0; --dim) {
    const int64_t extent = tensor.shape[dim];
    bool fits = extent == 1 || tensor.strides[dim] == stride;
    fits = !__builtin_mul_overflow(stride, extent, &stride) && fits;
    if (!fits) [[unlikely]] {
      return has_no_elements(tensor);
    }
  }
  return true;
}

/// Returns the number of elements of the parameter's type in an element of `tensor`; see kmux/plugin/check_list.h.
inline int64_t packing_factor(const DLTensor& tensor, uint8_t packing) {
  if (packing == 1) [[likely]] {
    return 1;
  }
  return tensor.dtype.bits * tensor.dtype.lanes == 8 ? packing : 1;
}

/// Returns an extent in elements of the parameter's type; -1, which is never an extent, if it does not fit 64 bits.
inline int64_t extent_of(const DLTensor& tensor, int32_t dim, uint8_t packing) {
  const int64_t extent = tensor.shape[dim];
  if (packing == 1 || dim != tensor.ndim - 1) [[likely]] {
    return extent;
  }
  int64_t elements = 0;
  return __builtin_mul_overflow(extent, packing_factor(tensor, packing), &elements) ? -1 : elements;
}

/// Returns a stride in elements of the parameter's type; -1 if it does not fit 64 bits. Elements within a storage
/// element are adjacent: an innermost stride of one storage element is one element.
inline int64_t stride_of(const DLTensor& tensor, int32_t dim, uint8_t packing) {
  const int64_t stride = tensor.strides != nullptr ? tensor.strides[dim] : contiguous_stride(tensor, dim);
  const bool is_unit = dim == tensor.ndim - 1 && stride == 1;
  if (is_unit) return 1;
  int64_t elements = 0;
  return __builtin_mul_overflow(stride, packing_factor(tensor, packing), &elements) ? -1 : elements;
}

/// Returns the address of the first element; null if the tensor has no memory.
inline void* address_of(const DLTensor& tensor) {
  if (tensor.data == nullptr) return nullptr;
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

}  // namespace kmux
