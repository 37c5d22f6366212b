#pragma once

#include "kmux/plugin/host_devices.h"

namespace kmux::null {

/// One device that does nothing.
///
/// Threads: any.
class NullDevices final : public HostDevices {
 public:
  NullDevices();
  Result<Json> properties(int device) override;
  /// Allocates memory filled with a pattern, so that stale memory is not mistaken for a result.
  Result<void*> allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) override;
  Status l2_flush(int device, void* stream) override;
};

/// Returns ok for device 0, else invalid_argument.
Status check_device(int device);

}  // namespace kmux::null
