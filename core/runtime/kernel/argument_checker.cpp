#include "argument_checker.h"

#include <bit>
#include <optional>

#include "kmux/plugin/carrier.h"
#include "kmux/plugin/tensor_geometry.h"

#include "scalar_convert.h"

namespace kmux {
namespace {

// `alignment` is a power of two.
bool is_aligned(const void* address, std::int64_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(address) & static_cast<std::uint64_t>(alignment - 1)) == 0;
}

bool is_same(DType a, DType b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

[[gnu::cold, gnu::noinline]] bool stands_for(DType actual, const Check& check) {
  return is_compatible(check.dtype, actual) || (check.packing != 1 && is_storage_of(check.dtype, actual));
}

bool has_dtype(const DLTensor& tensor, const Check& check) {
  const DType actual = to_dtype(tensor.dtype);
  return is_same(actual, check.dtype) || stands_for(actual, check);
}

[[gnu::cold, gnu::noinline]] bool needs_no_memory(const DLTensor& tensor) { return has_no_elements(tensor); }

bool is_sound(const DLTensor& tensor, const Check& check, CallDevice& device) {
  if (tensor.ndim != static_cast<std::int32_t>(check.index) || lacks_shape(tensor)) return false;
  if (!has_dtype(tensor, check) || !device.accepts(tensor.device)) return false;
  const void* address = address_of(tensor);
  const bool usable = address != nullptr && is_aligned(address, check.value);
  return usable || needs_no_memory(tensor);
}

std::optional<std::uint64_t> pointer_bits(const Arg& arg) {
  switch (arg.kind()) {
    case Arg::Kind::kPointer:
      return reinterpret_cast<std::uintptr_t>(arg.pointer());
    case Arg::Kind::kTensor:
      return arg.tensor() == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(address_of(*arg.tensor()));
    case Arg::Kind::kInteger:
      return static_cast<std::uint64_t>(arg.integer());
    case Arg::Kind::kUnsigned:
      return arg.bits();
    default:
      return std::nullopt;
  }
}

// One call: its arguments, and the places of its slots and values.
struct CallFrame {
  const CheckList& list;
  const Arg* args;
  kmux_slot* slots;
  std::int64_t* values;

  const DLTensor& tensor(const Check& check) const { return *args[check.param].tensor(); }
};

bool fill_scalar(const CallFrame& frame, const Check& check) {
  if (fill_usual_scalar(frame.args[check.param], check.dtype, frame.slots[check.param])) return true;
  const auto bits = scalar_bits(frame.args[check.param], check.dtype);
  if (bits) frame.slots[check.param].bits = *bits;
  return bits.has_value();
}

bool fill_pointer(const CallFrame& frame, const Check& check) {
  const auto bits = pointer_bits(frame.args[check.param]);
  if (bits) frame.slots[check.param].bits = *bits;
  return bits.has_value();
}

bool fill_scalar_value(const CallFrame& frame, const Check& check) {
  const auto value = integer_of(frame.slots[check.param].bits, check.dtype);
  if (value) frame.values[check.index] = *value;
  return value.has_value();
}

// The common case without branches. False means that `bind_symbol` must decide, which has every reason for a refusal.
bool fill_plain_symbol(const CallFrame& frame, const Check& check, std::span<const Carrier> carriers) {
  const auto extent = [&](const Carrier& carrier) { return frame.args[carrier.param].tensor()->shape[carrier.dim]; };
  const std::int64_t value = extent(carriers.front());
  frame.values[check.index] = value;
  bool agree = value >= 0 && (!check.narrow || value == static_cast<std::int32_t>(value));
  for (const Carrier& carrier : carriers.subspan(1)) agree = extent(carrier) == value && agree;
  return agree;
}

bool fill_symbol(const CallFrame& frame, const Check& check) {
  const Carriers carriers{frame.list.carriers.data() + check.value, check.count};
  const auto tensor_of = [args = frame.args](std::size_t param) { return args[param].tensor(); };
  const SymbolBinding binding = bind_symbol(carriers, tensor_of, check.narrow);
  frame.values[check.index] = binding.value;
  return binding.fault == SymbolFault::kNone;
}

bool has_stride(const DLTensor& tensor, const Check& check, std::int64_t expected) {
  if (stride_of(tensor, check.dim, check.packing) == expected) [[likely]] {
    return true;
  }
  return !stride_matters(tensor, check.dim);
}

bool has_computed(const CallFrame& frame, const Check& check) {
  const DLTensor* tensor = frame.args[check.param].tensor();
  if (check.nullable && tensor == nullptr) return true;
  const auto computed = frame.list.codes[check.index].evaluate({frame.values, frame.list.value_names.size()});
  if (!computed.ok()) return false;
  if (check.kind == CheckKind::kComputedStride) return has_stride(*tensor, check, computed.value);
  return computed.value >= 0 && extent_of(*tensor, check.dim, check.packing) == computed.value;
}

// Checks every kind except kTensor, the only kind that may skip others.
[[gnu::noinline]] bool passes(const CallFrame& frame, const Check& check) {
  switch (check.kind) {
    case CheckKind::kExtent:
      return extent_of(frame.tensor(check), check.dim, check.packing) == check.value;
    case CheckKind::kContiguous:
      return is_dense(frame.tensor(check));
    case CheckKind::kSymbol:
      return fill_symbol(frame, check);
    case CheckKind::kStride:
      return has_stride(frame.tensor(check), check, check.value);
    case CheckKind::kScalar:
      return fill_scalar(frame, check);
    case CheckKind::kScalarValue:
      return fill_scalar_value(frame, check);
    case CheckKind::kPointer:
      return fill_pointer(frame, check);
    default:
      return has_computed(frame, check);
  }
}

// The most common checks in straight-line code. If it returns false, `passes` must decide.
bool passes_as_usual(const CallFrame& frame, const Check& check) {
  if (check.kind == CheckKind::kExtent)
    return frame.tensor(check).shape[check.dim] == check.value && check.packing == 1;
  if (check.kind != CheckKind::kSymbol || !check.plain) return false;
  return fill_plain_symbol(frame, check, {frame.list.carriers.data() + check.value, check.count});
}

// Returns the check to continue with after one of kind kTensor; null if it failed.
const Check* after_tensor(const CallFrame& frame, const Check& check, CallDevice& device) {
  const Arg& arg = frame.args[check.param];
  if (arg.kind() != Arg::Kind::kTensor) [[unlikely]] {
    return nullptr;
  }
  const DLTensor* tensor = arg.tensor();
  if (tensor == nullptr) [[unlikely]] {
    frame.slots[check.param].ptr = nullptr;
    return check.nullable ? &check + 1 + check.count : nullptr;
  }
  if (!is_sound(*tensor, check, device) || (check.written & arg.is_read_only()) != 0) [[unlikely]] {
    return nullptr;
  }
  frame.slots[check.param].ptr = address_of(*tensor);
  return &check + 1;
}

}  // namespace

[[gnu::hot]] const Check* ArgumentChecker::first_failure(std::span<const Arg> args, kmux_slot* slots,
                                                         CallDevice& device) const noexcept {
  // A slot is a union with an int64 member, so the values are stored in slots.
  static_assert(sizeof(kmux_slot) == sizeof(std::int64_t));
  ask_for_tensors(args);
  const CallFrame frame{list_, args.data(), slots, &slots[param_count_].i64};
  const Check* const end = list_.checks.data() + list_.checks.size();
  const Check* check = list_.checks.data();
  while (check != end) {
    if (check->kind == CheckKind::kTensor) [[likely]] {
      const Check* const next = after_tensor(frame, *check, device);
      if (next == nullptr) return check;
      check = next;
    } else {
      if (!passes_as_usual(frame, *check) && !passes(frame, *check)) return check;
      ++check;
    }
    // Most tensors are dense, and the next check requires it.
    if (check != end && check->kind == CheckKind::kContiguous && is_dense(frame.tensor(*check))) [[likely]] {
      ++check;
    }
  }
  return nullptr;
}

[[gnu::cold, gnu::noinline]] Error ArgumentChecker::explain(const Check& failed, std::span<const Arg> args,
                                                            const kmux_slot* frame) const {
  return argument_error({kernel_, *signature_, list_, memory_, args, &frame[param_count_].i64}, failed);
}

}  // namespace kmux
