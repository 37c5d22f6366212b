#pragma once

#include <stdint.h>

#include "kmux/dlpack.h"

namespace kmux {

// Also printed into libraries that run without kmux: must use C++17 and libc only.

/// The valid locations of the tensors of a call: the kernel's device, another device that runs the same code, or memory
/// of another kind that the backend accepts as well.
struct AcceptedMemory {
  DLDevice device{kDLCPU, 0};
  uint64_t other_types = 0;  // a bit for each further DLDeviceType
  uint64_t alike = 0;  // a bit for each ordinal below 64 of the same architecture
};

/// The device of one call: the device of all its tensors, or the kernel's device if no tensor chooses one.
class CallDevice {
 public:
  explicit CallDevice(const AcceptedMemory& memory) : memory_(memory), ordinal_(memory.device.device_id) {}

  int ordinal() const { return ordinal_; }
  /// Returns true if a tensor has chosen the device.
  bool is_chosen() const { return is_chosen_; }

  /// Adds the device of the next tensor. Returns false if the tensor must not be there.
  bool accepts(DLDevice actual) noexcept {
    if (actual.device_type == memory_.device.device_type) [[likely]] {
      if (actual.device_id == ordinal_) [[likely]] {
        return is_chosen_ = true;
      }
      // The host is one device, regardless of the ordinal that a framework uses.
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
