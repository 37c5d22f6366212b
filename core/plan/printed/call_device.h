#pragma once

#include <stdint.h>

#include "kmux/dlpack.h"

namespace kmux {

// Also printed into libraries that run without kmux: C++17 and libc alone.

/// Where the tensors of a call may be: on the kernel's device, on another that runs the same code, or in memory of another
/// kind that the backend takes too.
struct AcceptedMemory {
  DLDevice device{kDLCPU, 0};
  uint64_t other_types = 0;  // a bit for each further DLDeviceType
  uint64_t alike = 0;  // a bit for each ordinal below 64 of the same architecture
};

/// The device of one call: the one that its tensors are on, all of them, or the kernel's without any.
class CallDevice {
 public:
  explicit CallDevice(const AcceptedMemory& memory) : memory_(memory), ordinal_(memory.device.device_id) {}

  int ordinal() const { return ordinal_; }
  /// Has a tensor chosen it?
  bool is_chosen() const { return is_chosen_; }

  /// Takes the device of the next tensor; false if it may not be there.
  bool accepts(DLDevice actual) noexcept {
    if (actual.device_type == memory_.device.device_type) [[likely]] {
      if (actual.device_id == ordinal_) [[likely]] {
        return is_chosen_ = true;
      }
      // The host is one device, whatever ordinal a framework gives it.
      return actual.device_type == kDLCPU || move_to(actual.device_id);
    }
    return has_bit(memory_.other_types, actual.device_type);
  }

 private:
  static bool has_bit(uint64_t bits, int index) noexcept {
    return index >= 0 && index < 64 && ((bits >> index) & 1) != 0;
  }
  bool move_to(int ordinal) noexcept {
    if (is_chosen_ || !has_bit(memory_.alike, ordinal)) return false;
    ordinal_ = ordinal;
    return is_chosen_ = true;
  }

  const AcceptedMemory& memory_;
  int ordinal_;
  bool is_chosen_ = false;
};

}  // namespace kmux
