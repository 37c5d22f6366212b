#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "kmux/arg.h"
#include "kmux/check_list.h"

#include "tensor/tensor_geometry.h"

namespace kmux {

/// Why a symbol has no value.
enum class SymbolFault : std::uint8_t {
  kNone,
  kNoCarrier,   // none is live
  kNegative,    // an extent below 0
  kNoSolution,  // no integer gives the first live carrier's extent or stride
  kDisagrees,   // a later carrier says otherwise
  kTooWide,     // does not fit int32
};

/// The value of a symbol, the carrier that gave it, and the carrier at fault.
struct SymbolBinding {
  std::int64_t value = 0;
  SymbolFault fault = SymbolFault::kNoCarrier;
  const Carrier* source = nullptr;
  const Carrier* culprit = nullptr;
};

inline std::int64_t carried(const Carrier& carrier, const DLTensor& tensor) {
  const bool is_extent = carrier.source == Carrier::Source::kExtent;
  return is_extent ? extent_of(tensor, carrier.dim, carrier.packing) : stride_of(tensor, carrier.dim, carrier.packing);
}

/// Is coefficient * value + offset == carried?
inline bool agrees(const Carrier& carrier, std::int64_t value, std::int64_t carried) {
  std::int64_t expected = 0;
  if (__builtin_mul_overflow(carrier.coefficient, value, &expected)) return false;
  return !__builtin_add_overflow(expected, carrier.offset, &expected) && expected == carried;
}

/// Solves coefficient * value + offset == carried; false if no integer does.
inline bool solve(const Carrier& carrier, std::int64_t carried, std::int64_t& value) {
  if (__builtin_sub_overflow(carried, carrier.offset, &value)) return false;
  if (carrier.coefficient == 1) return true;
  if (carrier.coefficient == -1) return !__builtin_sub_overflow(std::int64_t{0}, value, &value);
  const bool divisible = value % carrier.coefficient == 0;
  value /= carrier.coefficient;
  return divisible;
}

/// A stride that decides nothing gives a symbol its value only where no other carrier does, and need not be exact.
inline SymbolBinding bind_idle_stride(std::span<const Carrier> carriers, const Arg* args) {
  for (const Carrier& carrier : carriers) {
    const DLTensor* tensor = args[carrier.param].tensor();
    if (tensor == nullptr) continue;
    SymbolBinding binding{0, SymbolFault::kNone, &carrier, &carrier};
    solve(carrier, carried(carrier, *tensor), binding.value);
    return binding;
  }
  return {};
}

/// The tensor of a carrier that has a say: it is not null, and a stride of it decides where elements lie.
inline const DLTensor* deciding_tensor(const Carrier& carrier, const Arg* args) {
  const DLTensor* tensor = args[carrier.param].tensor();
  const bool is_extent = carrier.source == Carrier::Source::kExtent;
  if (tensor == nullptr || is_extent || stride_matters(*tensor, carrier.dim)) return tensor;
  return nullptr;
}

/// Takes the word of one carrier: it determines the symbol, or must agree with what did.
inline SymbolFault take(SymbolBinding& binding, const Carrier& carrier, const DLTensor& tensor) {
  const std::int64_t number = carried(carrier, tensor);
  binding.culprit = &carrier;
  if (carrier.source == Carrier::Source::kExtent && number < 0) return SymbolFault::kNegative;
  if (binding.source != nullptr) {
    return agrees(carrier, binding.value, number) ? SymbolFault::kNone : SymbolFault::kDisagrees;
  }
  binding.source = &carrier;
  return solve(carrier, number, binding.value) ? SymbolFault::kNone : SymbolFault::kNoSolution;
}

/// Binds a symbol from its first live carrier and compares it with all others.
inline SymbolBinding bind_symbol(std::span<const Carrier> carriers, const Arg* args, bool narrow) {
  SymbolBinding binding;
  for (const Carrier& carrier : carriers) {
    const DLTensor* tensor = deciding_tensor(carrier, args);
    if (tensor == nullptr) continue;
    binding.fault = take(binding, carrier, *tensor);
    if (binding.fault != SymbolFault::kNone) return binding;
  }
  if (binding.source == nullptr) binding = bind_idle_stride(carriers, args);
  const bool fits = !narrow || binding.value == static_cast<std::int32_t>(binding.value);
  if (!fits) binding.fault = SymbolFault::kTooWide;
  return binding;
}

}  // namespace kmux
