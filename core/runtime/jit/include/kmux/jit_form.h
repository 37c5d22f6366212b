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

/// What a call of a jit wrapper is known by: its configuration and everything about its tensors but where they lie and
/// what is in them, as a row of words. Equal calls have equal words, and no others do.
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
  /// Length and bytes.
  void add(std::string_view text);
  /// For each tensor: null or not, read-only or not, dtype, device, shape and strides.
  void add(std::span<const Arg> tensors);

  /// All words so far.
  std::span<const std::uint64_t> words() const {
    return on_heap_.empty() ? std::span(on_stack_).first(size_) : std::span<const std::uint64_t>(on_heap_);
  }
  /// A hash of the words, the same in every process.
  std::uint64_t hash() const;

 private:
  void add(const Arg& tensor);
  void add_to_heap(std::uint64_t word);
  std::array<std::uint64_t, kOnStack> on_stack_;  // not initialised: most calls use little of it
  std::size_t size_ = 0;
  std::vector<std::uint64_t> on_heap_;  // all words, once there are too many
};

}  // namespace kmux
