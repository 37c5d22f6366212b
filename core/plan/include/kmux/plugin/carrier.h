#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kmux/plugin/tensor_geometry.h"

namespace kmux {

// Binds the symbols of a call to values. Also printed into libraries that run without kmux: must use C++17 and libc
// only.

/// An extent or stride that determines a symbol: its value is coefficient * symbol + offset.
struct Carrier {
  /// The kind of number of a tensor.
  enum class Source : uint8_t { kExtent, kStride };
  Source source = Source::kExtent;  // extent or stride
  bool nullable = false;  // a null tensor carries nothing
  uint8_t packing = 1;  // elements in one storage element, see Check
  uint16_t param = 0;  // index of the parameter
  uint16_t dim = 0;  // dimension, outermost first
  int64_t coefficient = 1;  // of the symbol in that number
  int64_t offset = 0;  // added to it
#if __cplusplus >= 202002L
  bool operator==(const Carrier&) const = default;
#endif
};

/// The carriers of one symbol.
struct Carriers {
  const Carrier* first = nullptr;  // null if `count` is 0
  size_t count = 0;  // of carriers
  /// Returns the first carrier, for range-based loops.
  const Carrier* begin() const { return first; }
  /// Returns the end, for range-based loops.
  const Carrier* end() const { return first + count; }
};

/// The reason why a symbol has no value.
enum class SymbolFault : uint8_t {
  kNone,
  kNoCarrier,   // none is live
  kNegative,    // an extent below 0
  kNoSolution,  // no integer gives the first live carrier's extent or stride
  kDisagrees,   // a later carrier differs
  kTooWide,     // does not fit int32
};

/// The value of a symbol, the carrier that determined it, and the carrier at fault.
struct SymbolBinding {
  int64_t value = 0;  // of the symbol; valid if `fault` is kNone, kDisagrees or kTooWide
  SymbolFault fault = SymbolFault::kNoCarrier;  // why the symbol has no value
  const Carrier* source = nullptr;  // the carrier that determined the value
  const Carrier* culprit = nullptr;  // the carrier at fault
};

/// Returns the extent or stride that a carrier refers to.
inline int64_t carried(const Carrier& carrier, const DLTensor& tensor) {
  const bool is_extent = carrier.source == Carrier::Source::kExtent;
  return is_extent ? extent_of(tensor, carrier.dim, carrier.packing) : stride_of(tensor, carrier.dim, carrier.packing);
}

/// Returns true if coefficient * value + offset == carried.
inline bool agrees(const Carrier& carrier, int64_t value, int64_t carried) {
  int64_t expected = 0;
  if (__builtin_mul_overflow(carrier.coefficient, value, &expected)) return false;
  return !__builtin_add_overflow(expected, carrier.offset, &expected) && expected == carried;
}

/// Solves coefficient * value + offset == carried for `value`. Returns false if there is no integer solution.
inline bool solve(const Carrier& carrier, int64_t carried, int64_t& value) {
  if (__builtin_sub_overflow(carried, carrier.offset, &value)) return false;
  if (carrier.coefficient == 1) return true;
  if (carrier.coefficient == -1) return !__builtin_sub_overflow(int64_t{0}, value, &value);
  const bool divisible = value % carrier.coefficient == 0;
  value /= carrier.coefficient;
  return divisible;
}

/// Binds a symbol from a stride that addresses no element. Used only if no other carrier is live; the value may be
/// inexact. `tensor_of` returns the tensor of a parameter, or null.
template <class TensorOf>
SymbolBinding bind_idle_stride(Carriers carriers, TensorOf tensor_of) {
  for (const Carrier& carrier : carriers) {
    const DLTensor* tensor = tensor_of(carrier.param);
    if (tensor == nullptr) continue;
    SymbolBinding binding{0, SymbolFault::kNone, &carrier, &carrier};
    solve(carrier, carried(carrier, *tensor), binding.value);
    return binding;
  }
  return {};
}

/// Returns true if a carrier in `tensor` is live: the tensor is not null, and a stride must affect where elements lie.
inline bool decides(const Carrier& carrier, const DLTensor* tensor) {
  if (tensor == nullptr) return false;
  return carrier.source == Carrier::Source::kExtent || stride_matters(*tensor, carrier.dim);
}

/// Applies one live carrier: the first determines the symbol, and later ones must agree with its value.
inline SymbolFault take(SymbolBinding& binding, const Carrier& carrier, const DLTensor& tensor) {
  const int64_t number = carried(carrier, tensor);
  binding.culprit = &carrier;
  if (carrier.source == Carrier::Source::kExtent && number < 0) return SymbolFault::kNegative;
  if (binding.source != nullptr) {
    return agrees(carrier, binding.value, number) ? SymbolFault::kNone : SymbolFault::kDisagrees;
  }
  binding.source = &carrier;
  return solve(carrier, number, binding.value) ? SymbolFault::kNone : SymbolFault::kNoSolution;
}

/// Binds a symbol from its first live carrier and compares it with all others.
template <class TensorOf>
SymbolBinding bind_symbol(Carriers carriers, TensorOf tensor_of, bool narrow) {
  SymbolBinding binding;
  for (const Carrier& carrier : carriers) {
    const DLTensor* tensor = tensor_of(carrier.param);
    if (!decides(carrier, tensor)) continue;
    binding.fault = take(binding, carrier, *tensor);
    if (binding.fault != SymbolFault::kNone) return binding;
  }
  if (binding.source == nullptr) binding = bind_idle_stride(carriers, tensor_of);
  const bool fits = !narrow || binding.value == static_cast<int32_t>(binding.value);
  if (!fits) binding.fault = SymbolFault::kTooWide;
  return binding;
}

}  // namespace kmux
