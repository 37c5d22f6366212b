#pragma once

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace kmux {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes over an open descriptor.
  explicit Descriptor(int value) : value_(value) {}
  /// Leaves `other` closed.
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  /// Leaves what this one held to `other`.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { close(); }

  /// Its number; -1 if it is closed.
  int get() const { return value_; }
  /// Is it open?
  bool is_open() const { return value_ >= 0; }
  /// 0 or errno.
  int close() { return !is_open() || ::close(std::exchange(value_, -1)) == 0 ? 0 : errno; }

 private:
  int value_ = -1;
};

}  // namespace kmux
