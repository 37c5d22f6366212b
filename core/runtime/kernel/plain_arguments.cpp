#include "plain_arguments.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kmux/plugin/tensor_geometry.h"

#include "scalar_convert.h"

namespace kmux {
namespace {

static_assert(offsetof(DLTensor, dtype) == offsetof(DLTensor, ndim) + 4, "rank and dtype are read as one word");

std::uint64_t word_at(const void* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t form_of(const DLTensor& tensor) noexcept { return word_at(&tensor.ndim); }

std::uint64_t form_of(const Check& check) noexcept {
  DLTensor tensor{};
  tensor.ndim = static_cast<std::int32_t>(check.index);
  tensor.dtype = {check.dtype.code, check.dtype.bits, check.dtype.lanes};
  return form_of(tensor);
}

}  // namespace

PlainArguments PlainArguments::of(const CheckList& list, std::size_t param_count, DLDevice device) {
  PlainArguments plain;
  plain.device_ = word_at(&device);
  plain.param_count_ = param_count;
  const bool all = std::ranges::all_of(list.checks, [&](const Check& check) { return plain.take(list, check); });
  return all && plain.tensors_.size() + plain.scalars_.size() == param_count ? plain : PlainArguments();
}

bool PlainArguments::take(const CheckList& list, const Check& check) {
  if (check.packing != 1 || check.nullable) return false;
  switch (check.kind) {
    case CheckKind::kTensor:
      return take_tensor(check);
    case CheckKind::kContiguous:
      return true;  // `fill` requires it of every tensor
    case CheckKind::kExtent:
      extents_.push_back({check.param, check.dim, -1, check.value});
      return true;
    case CheckKind::kSymbol:
      return take_symbol(list, check);
    case CheckKind::kScalar:
      return take_scalar(check);
    default:
      return false;
  }
}

bool PlainArguments::take_tensor(const Check& check) {
  tensors_.push_back(
      {form_of(check), static_cast<std::uint64_t>(check.value - 1), check.param, check.written ? 1U : 0U});
  return true;
}

bool PlainArguments::take_scalar(const Check& check) {
  scalars_.push_back({check.dtype, check.param});
  return is_usual_scalar(check.dtype);
}

bool PlainArguments::take_symbol(const CheckList& list, const Check& check) {
  if (!check.plain) return false;
  const auto carriers = std::span(list.carriers).subspan(static_cast<std::size_t>(check.value), check.count);
  const std::int64_t most =
      check.narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
  symbols_.push_back({carriers.front().param, carriers.front().dim, check.index, most});
  for (const Carrier& carrier : carriers.subspan(1)) {
    extents_.push_back({carrier.param, carrier.dim, static_cast<std::int32_t>(check.index), 0});
  }
  return true;
}

[[gnu::hot]] bool PlainArguments::fill_scalars(const Arg* args, kmux_slot* slots) const noexcept {
  return std::ranges::all_of(scalars_, [&](const Scalar& scalar) {
    return fill_usual_scalar(args[scalar.param], scalar.type, slots[scalar.param]);
  });
}

// Accumulates differences instead of branching: a driver's work evicts branch predictions, and nearly all calls pass.
[[gnu::hot]] bool PlainArguments::fill(const Arg* args, kmux_slot* slots) const noexcept {
  if (tensors_.empty()) return false;
  ask_for_tensors({args, param_count_});
  std::uint64_t wrong = 0;
  for (const Tensor& one : tensors_) {
    const Arg& arg = args[one.param];
    const DLTensor* const tensor = arg.tensor();
    if (arg.kind() != Arg::Kind::kTensor || tensor == nullptr) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->byte_offset;
    wrong |= (form_of(*tensor) ^ one.form) | (word_at(&tensor->device) ^ device_);
    wrong |= (address & one.misaligned) | (one.written & (arg.is_read_only() ? 1U : 0U));
    if (tensor->data == nullptr || lacks_shape(*tensor) || !is_dense(*tensor)) return false;
    slots[one.param].bits = address;
  }
  return wrong == 0 && fill_scalars(args, slots) && fill_values(args, &slots[param_count_].i64);
}

[[gnu::hot]] bool PlainArguments::fill_values(const Arg* args, std::int64_t* values) const noexcept {
  std::uint64_t wrong = 0;
  for (const Symbol& symbol : symbols_) {
    const std::int64_t value = args[symbol.param].tensor()->shape[symbol.dim];
    values[symbol.value] = value;
    wrong |= static_cast<std::uint64_t>(value < 0) | static_cast<std::uint64_t>(value > symbol.most);
  }
  for (const Extent& extent : extents_) {
    const std::int64_t* const expected = extent.value < 0 ? &extent.constant : &values[extent.value];
    wrong |= static_cast<std::uint64_t>(args[extent.param].tensor()->shape[extent.dim] ^ *expected);
  }
  return wrong == 0;
}

}  // namespace kmux
