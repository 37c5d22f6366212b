#pragma once

#include <cstddef>
#include <cstdint>

namespace kmux::simt {

/// The shared memories of the blocks of a cluster, one behind another, each in a window of the same size.
///
/// A window begins at a multiple of 256 KiB: the lower 18 bits of an address are the offset in the memory of its block,
/// as matrix descriptors and swizzles of a GPU need it.
class SharedWindows {
 public:
  static constexpr std::size_t kAlignment = std::size_t{256} << 10;

  /// Maps `count` windows of at least `bytes` bytes each, filled with zeros.
  ///
  /// Errors: throws std::bad_alloc.
  SharedWindows(std::size_t count, std::size_t bytes);
  ~SharedWindows();
  SharedWindows(const SharedWindows&) = delete;
  SharedWindows& operator=(const SharedWindows&) = delete;

  std::size_t count() const { return count_; }
  char* window(std::size_t number) const { return begin_ + number * window_bytes_; }
  bool has(const char* address) const { return address >= begin_ && address < begin_ + count_ * window_bytes_; }
  /// Returns the number of the window that has `address`.
  std::size_t number_of(const char* address) const {
    return static_cast<std::size_t>(address - begin_) / window_bytes_;
  }
  std::uint64_t offset_of(const char* address) const {
    return static_cast<std::uint64_t>(address - begin_) % window_bytes_;
  }

 private:
  std::size_t count_;
  std::size_t window_bytes_;
  char* mapped_;
  std::size_t mapped_bytes_;
  char* begin_;
};

}  // namespace kmux::simt
