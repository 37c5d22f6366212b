#pragma once

#include <mutex>
#include <vector>

#include "kmux/plugin/host_devices.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::cpu {

/// This machine's processor as device 0.
///
/// Threads: any.
class CpuDevices final : public HostDevices {
 public:
  CpuDevices() : HostDevices("cpu") {}
  explicit CpuDevices(Host) : CpuDevices() {}  // needs nothing of it
  Result<Json> properties(int device) override;
  /// Reads and writes more memory than the caches hold.
  Status l2_flush(int device, void* stream) override;

 private:
  std::mutex mutex_;
  std::vector<unsigned char> flush_buffer_;
};

/// ok for device 0, else invalid_argument.
Status check_device(int device);

}  // namespace kmux::cpu
