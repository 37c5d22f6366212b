#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/check/shared_windows.h"
#include "simt/runtime/launch.h"

namespace kmux::simt {

/// A box in shared memory, whose bytes a swizzle moves.
class SharedTile {
 public:
  /// `swizzle`: the driver's number, at most 3.
  ///
  /// Errors: throws KernelFailure unless `begin` is a multiple of 128 and the tile ends within its block's memory.
  SharedTile(const char* begin, std::uint64_t bytes, unsigned swizzle)
      : begin_(const_cast<char*>(begin)), mask_(kMasks[swizzle]) {
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    if (address % kAlignment != 0) refuse("at an address that is not a multiple of 128", "Align it");
    if (address % kWindow + bytes > kWindow) refuse("that ends behind the memory of its block", "Use a smaller one");
  }

  /// Calls `visit(address, at, bytes)` for pieces that cover the bytes from `begin` to before `end`; `at` counts from
  /// `begin`.
  template <class Visit>
  void for_each_piece(std::uint32_t begin, std::uint32_t end, Visit visit) const {
    for (std::uint32_t place = begin; place < end;) {
      const std::uint32_t stop = mask_ == 0 ? end : std::min(end, place / kAtom * kAtom + kAtom);
      visit(address_of(place), place - begin, stop - place);
      place = stop;
    }
  }

 private:
  static constexpr std::uintptr_t kAlignment = 128;
  static constexpr std::uintptr_t kWindow = SharedWindows::kAlignment;
  static constexpr std::uint32_t kAtom = 16;  // bytes that a swizzle moves together
  static constexpr std::array<std::uintptr_t, 4> kMasks = {0, 0x10, 0x30, 0x70};

  [[noreturn]] static void refuse(const std::string& what, const std::string& advice) {
    throw KernelFailure("a copy of a tensor uses a box in shared memory " + what + ". " + advice + ".");
  }

  // Source: PTX ISA, Swizzling Modes.
  char* address_of(std::uint32_t place) const {
    char* const plain = begin_ + place;
    const auto moved = reinterpret_cast<std::uintptr_t>(plain) >> 3 & mask_;
    const auto bits = reinterpret_cast<std::uintptr_t>(plain) & mask_;
    return plain + (static_cast<std::ptrdiff_t>(bits ^ moved) - static_cast<std::ptrdiff_t>(bits));
  }

  char* begin_;
  std::uintptr_t mask_;  // the bits of an address that change, by those 3 places above
};

}  // namespace kmux::simt
