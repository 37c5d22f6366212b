#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kmux/plugin/tensor_geometry.h"

namespace kmux {

// How a call's symbols get their values. Also printed into libraries that run without kmux: C++17 and libc alone.

/// An extent or stride that determines a symbol: it is coefficient * symbol + offset.
struct Carrier {
  /// Which of a tensor's numbers it is.
  enum class Source : uint8_t { kExtent, kStride };
  Source source = Source::kExtent;  // which number of the tensor
  bool nullable = false;  // a null tensor carries nothing
  uint8_t packing = 1;  // elements in one of the storage, see Check
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
  size_t count = 0;  // of one symbol
  /// For loops.
  const Carrier* begin() const { return first; }
  /// For loops.
  const Carrier* end() const { return first + count; }
};

/// Why a symbol has no value.
enum class SymbolFault : uint8_t {
  kNone,
  kNoCarrier,   // none is live
  kNegative,    // an extent below 0
  kNoSolution,  // no integer gives the first live carrier's extent or stride
  kDisagrees,   // a later carrier differs
  kTooWide,     // does not fit int32
};

/// The value of a symbol, the carrier that gave it, and the carrier at fault.
struct SymbolBinding {
  int64_t value = 0;  // of the symbol, where there is no fault
  SymbolFault fault = SymbolFault::kNoCarrier;  // why there is none
  const Carrier* source = nullptr;  // the carrier that gave the value
  const Carrier* culprit = nullptr;  // the one that disagrees
};

/// The extent or stride that a carrier names.
inline int64_t carried(const Carrier& carrier, const DLTensor& tensor) {
  const bool is_extent = carrier.source == Carrier::Source::kExtent;
  return is_extent ? extent_of(tensor, carrier.dim, carrier.packing) : stride_of(tensor, carrier.dim, carrier.packing);
}

/// Is coefficient * value + offset == carried?
inline bool agrees(const Carrier& carrier, int64_t value, int64_t carried) {
  int64_t expected = 0;
  if (__builtin_mul_overflow(carrier.coefficient, value, &expected)) return false;
  return !__builtin_add_overflow(expected, carrier.offset, &expected) && expected == carried;
}

/// Solves coefficient * value + offset == carried; false if no integer does.
inline bool solve(const Carrier& carrier, int64_t carried, int64_t& value) {
  if (__builtin_sub_overflow(carried, carrier.offset, &value)) return false;
  if (carrier.coefficient == 1) return true;
  if (carrier.coefficient == -1) return !__builtin_sub_overflow(int64_t{0}, value, &value);
  const bool divisible = value % carrier.coefficient == 0;
  value /= carrier.coefficient;
  return divisible;
}

/// A stride that decides nothing gives a symbol its value only where no other carrier does, and need not be exact.
/// `tensor_of` gives the tensor of a parameter, or null.
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

/// Does a carrier in `tensor` count? It does if the tensor is not null and, of a stride, if that decides where elements lie.
inline bool decides(const Carrier& carrier, const DLTensor* tensor) {
  if (tensor == nullptr) return false;
  return carrier.source == Carrier::Source::kExtent || stride_matters(*tensor, carrier.dim);
}

/// Takes the word of one carrier: it determines the symbol, or must agree with what did.
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
