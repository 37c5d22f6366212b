#pragma once

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace kmux {

/// Owns a file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes ownership of an open descriptor.
  explicit Descriptor(int value) : value_(value) {}
  /// Takes ownership from `other`, which is left closed.
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  /// Swaps the descriptors.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { close(); }

  /// Returns the descriptor, or -1 if closed.
  int get() const { return value_; }
  /// Returns true if it is open.
  bool is_open() const { return value_ >= 0; }
  /// Closes it. Returns 0 or errno.
  int close() { return !is_open() || ::close(std::exchange(value_, -1)) == 0 ? 0 : errno; }

 private:
  int value_ = -1;
};

}  // namespace kmux
