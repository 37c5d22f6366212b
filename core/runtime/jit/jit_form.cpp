#include "kmux/jit_form.h"

#include <algorithm>
#include <cstring>

namespace kmux {
namespace {

__extension__ using WideProduct = unsigned __int128;

// Odd, with about half of the bits set: the fractions of the golden ratio and of the square root of 3.
constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t kSecond = 0xbb67ae8584caa73bU;

/// Returns both halves of a product, combined: every bit of the factors affects every bit of the result.
std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
  const WideProduct product = static_cast<WideProduct>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t header_of(const DLTensor& tensor, bool read_only) {
  const DLDataType type = tensor.dtype;
  const auto flags = std::uint64_t{1} | std::uint64_t{read_only} << 1 | std::uint64_t{tensor.strides != nullptr} << 2;
  return flags | static_cast<std::uint64_t>(tensor.ndim & 0xffffff) << 8 | std::uint64_t{type.code} << 32 |
         std::uint64_t{type.bits} << 40 | std::uint64_t{type.lanes} << 48;
}

}  // namespace

void CallForm::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
    add(word);
  }
}

void CallForm::add(std::span<const Arg> tensors) {
  add(std::uint64_t{tensors.size()});
  for (const Arg& tensor : tensors) add(tensor);
}

void CallForm::add(const Arg& arg) {
  const DLTensor* const tensor = arg.tensor();
  if (tensor == nullptr) return add(std::uint64_t{0});
  add(header_of(*tensor, arg.is_read_only()));
  add(static_cast<std::uint64_t>(tensor->device.device_type) << 32 |
      static_cast<std::uint32_t>(tensor->device.device_id));
  for (std::int32_t dim = 0; dim < tensor->ndim; ++dim) add(static_cast<std::uint64_t>(tensor->shape[dim]));
  if (tensor->strides == nullptr) return;
  for (std::int32_t dim = 0; dim < tensor->ndim; ++dim) add(static_cast<std::uint64_t>(tensor->strides[dim]));
}

[[gnu::cold]] void CallForm::add_to_heap(std::uint64_t word) {
  if (on_heap_.empty()) on_heap_.assign(on_stack_.begin(), on_stack_.end());
  on_heap_.push_back(word);
}

/// Hashes two words at a time, in two independent dependency chains.
std::uint64_t CallForm::hash() const {
  const std::span<const std::uint64_t> all = words();
  std::uint64_t even = all.size() ^ kFirst, odd = kSecond;
  std::size_t i = 0;
  for (; i + 1 < all.size(); i += 2) {
    even = folded(even ^ all[i], kFirst);
    odd = folded(odd ^ all[i + 1], kSecond);
  }
  if (i < all.size()) even = folded(even ^ all[i], kFirst);
  return folded(even ^ kSecond, odd ^ kFirst);
}

}  // namespace kmux
