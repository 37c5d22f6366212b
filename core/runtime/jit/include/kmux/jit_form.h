#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kmux/arg.h"
#include "kmux/export.h"

namespace kmux {

/// The key of a call of a jit wrapper, as a row of words: its configuration and every property of its tensors except
/// their addresses and contents. Two calls have equal words if and only if they are equal.
///
/// Lifetime: lives on the stack of a call; only a form of more than `kOnStack` words allocates.
class KMUX_API CallForm {
 public:
  static constexpr std::size_t kOnStack = 64;  // words without an allocation

  /// Appends a word.
  void add(std::uint64_t word) {
    if (size_ == kOnStack) [[unlikely]] {
      return add_to_heap(word);
    }
    on_stack_[size_++] = word;
  }
  /// Appends the length and the bytes of `text`.
  void add(std::string_view text);
  /// Appends for each tensor: null or not, read-only or not, dtype, device, shape and strides.
  void add(std::span<const Arg> tensors);

  /// Returns all words so far, valid until the next `add`.
  std::span<const std::uint64_t> words() const {
    return on_heap_.empty() ? std::span(on_stack_).first(size_) : std::span<const std::uint64_t>(on_heap_);
  }
  /// Returns a hash of the words, the same in every process.
  std::uint64_t hash() const;

 private:
  void add(const Arg& tensor);
  void add_to_heap(std::uint64_t word);
  std::array<std::uint64_t, kOnStack> on_stack_;  // not initialised: most calls use little of it
  std::size_t size_ = 0;
  std::vector<std::uint64_t> on_heap_;  // all words, once they exceed kOnStack
};

}  // namespace kmux
