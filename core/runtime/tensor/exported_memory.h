#pragma once

#include "device_memory.h"

namespace kmux {

/// Device memory of ours that was handed out as DLPack tensors, by address: who gives it back as a plain DLTensor still has
/// its uses recorded.
///
/// Threads: any.   Lifetime: `add` and `remove` in pairs; what is found lives as long as the tensor that led to it.
class ExportedMemory {
 public:
  static void add(DeviceMemory& memory);
  static void remove(DeviceMemory& memory) noexcept;
  /// The memory that `address` lies in; null if there is none.
  static DeviceMemory* find(const void* address) noexcept;
};

}  // namespace kmux
