#pragma once

#include <stdint.h>
#include <string.h>

#include "kmux/plugin/carrier.h"
#include "kmux/plugin/plugin.h"
#include "kmux/plugin/tensor_geometry.h"
#include "kmux/plugin/tvm_ffi_abi.h"

#include "call_device.h"
#include "ir/printed/dlpack_facts.h"
#include "ir/printed/float_bits.h"

namespace kmux {

// Reads the arguments of a call as passed by TVM-FFI, with the semantics of the runtime. Only printed: must use C++17
// and libc only.

/// A tensor parameter.
struct TensorForm {
  const char* name;
  const char* wanted;  // "float32[n, 64]"
  int32_t rank;
  DLDataType dtype;
  uint8_t packing;
  int64_t alignment;  // a power of two
};

/// Reads a tensor; `tensor` is null for None and for a null object. Returns false if `arg` is not a tensor.
inline bool read_tensor(const TVMFFIAny& arg, const DLTensor*& tensor) {
  if (arg.type_index == kTVMFFIDLTensorPtr) {
    tensor = static_cast<const DLTensor*>(arg.v_ptr);
    return true;
  }
  // In a tensor object the DLTensor follows the header.
  const bool is_object = arg.type_index == kTVMFFITensor;
  tensor = is_object && arg.v_ptr != nullptr
               ? reinterpret_cast<const DLTensor*>(static_cast<const TVMFFIObject*>(arg.v_ptr) + 1)
               : nullptr;
  return is_object || arg.type_index == kTVMFFINone;
}

inline const DLTensor* tensor_or_null(const TVMFFIAny& arg) {
  const DLTensor* tensor = nullptr;
  return read_tensor(arg, tensor) ? tensor : nullptr;
}

inline bool stands_for(DLDataType actual, const TensorForm& form) {
  return is_compatible(form.dtype, actual) || (form.packing != 1 && is_storage_of(form.dtype, actual));
}

inline bool is_aligned(const void* address, int64_t alignment) {
  return (reinterpret_cast<uintptr_t>(address) & static_cast<uint64_t>(alignment - 1)) == 0;
}

inline bool is_sound(const DLTensor& tensor, const TensorForm& form, CallDevice& device) {
  if (tensor.ndim != form.rank || lacks_shape(tensor)) return false;
  if (!is_same(tensor.dtype, form.dtype) && !stands_for(tensor.dtype, form)) return false;
  if (!device.accepts(tensor.device)) return false;
  const void* const address = address_of(tensor);
  return (address != nullptr && is_aligned(address, form.alignment)) || has_no_elements(tensor);
}

inline bool has_stride(const DLTensor& tensor, int32_t dim, uint8_t packing, int64_t expected) {
  return stride_of(tensor, dim, packing) == expected || !stride_matters(tensor, dim);
}

inline uint64_t low_bits(uint64_t value, int count) {
  return count >= 64 ? value : value & ((uint64_t{1} << count) - 1);
}

inline int64_t sign_extended(uint64_t bits, int width) {
  const int unused = 64 - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// Reads the integer `value` as a scalar of a floating-point type. Returns false if the conversion is not exact.
inline bool read_exact_float(int64_t value, DLDataType type, uint64_t& bits) {
  const double wide = static_cast<double>(value);
  const bool fits = wide < 9223372036854775808.0 && static_cast<int64_t>(wide) == value;
  if (!fits) return false;
  bits = bits_of_float(type, wide);
  return float_of_bits(type, bits) == wide;
}

inline bool read_integer(int64_t value, DLDataType type, uint64_t& bits) {
  bits = low_bits(static_cast<uint64_t>(value), type.bits);
  if (type.code == kDLBool) return value == 0 || value == 1;
  if (type.code == kDLInt) return sign_extended(bits, type.bits) == value;
  if (type.code == kDLUInt) return value >= 0 && bits == static_cast<uint64_t>(value);
  return has_float_format(type) && read_exact_float(value, type, bits);
}

inline bool read_float(double value, DLDataType type, uint64_t& bits) {
  if (!has_float_format(type)) return false;
  if (type.code == kDLFloat && type.bits == 32) {
    const float narrow = static_cast<float>(value);
    uint32_t word = 0;
    memcpy(&word, &narrow, sizeof word);
    bits = word;
    return true;
  }
  bits = bits_of_float(type, value);
  return true;
}

/// Reads `arg` as a scalar of `type`, zero-extended. Returns false if it is not a number or `type` cannot hold it.
inline bool read_scalar(const TVMFFIAny& arg, DLDataType type, uint64_t& bits) {
  if (type.lanes != 1 || type.bits == 0 || type.bits > 64) return false;
  if (arg.type_index == kTVMFFIInt) return read_integer(arg.v_int64, type, bits);
  if (arg.type_index == kTVMFFIBool) return read_integer(arg.v_int64 != 0 ? 1 : 0, type, bits);
  return arg.type_index == kTVMFFIFloat && read_float(arg.v_float64, type, bits);
}

/// Reads the integer with the bits `bits` in an integer type or bool. Returns false for a uint64 beyond int64.
inline bool read_value(uint64_t bits, DLDataType type, int64_t& value) {
  value = type.code == kDLInt && type.bits < 64 ? sign_extended(bits, type.bits) : static_cast<int64_t>(bits);
  return type.bits < 64 || type.code == kDLInt || value >= 0;
}

/// Reads a pointer, an integer, or the address of a tensor. Returns false for other arguments.
inline bool read_pointer(const TVMFFIAny& arg, uint64_t& bits) {
  const DLTensor* tensor = nullptr;
  if (read_tensor(arg, tensor)) {
    bits = tensor == nullptr ? 0 : reinterpret_cast<uintptr_t>(address_of(*tensor));
    return true;
  }
  bits = static_cast<uint64_t>(arg.v_int64);
  return arg.type_index == kTVMFFIOpaquePtr || arg.type_index == kTVMFFIInt;
}

/// Reads the value of a symbol from the tensors in `args`. Returns false if it has no value or the carriers disagree.
inline bool read_symbol(Carriers carriers, const TVMFFIAny* args, bool narrow, int64_t& value) {
  const auto tensor_of = [args](size_t param) { return tensor_or_null(args[param]); };
  const SymbolBinding binding = bind_symbol(carriers, tensor_of, narrow);
  value = binding.value;
  return binding.fault == SymbolFault::kNone;
}

}  // namespace kmux
