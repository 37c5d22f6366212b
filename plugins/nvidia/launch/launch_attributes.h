#pragma once

#include "kmux/plugin/driver.h"

#include "nvidia/launch/device_state.h"

namespace kmux::nvidia {

/// The attributes of one launch: those that it asks for and no others.
///
/// Source: CUDA Driver API, CUlaunchAttributeID.
class LaunchAttributes {
 public:
  /// Whether `launch` asks for any.
  static bool are_asked_by(const kmux_driver_launch& launch) {
    return (launch.flags | launch.cluster[0] | launch.window_count) != 0;
  }

  /// Makes `config` have the attributes that `launch` asks for. Lifetime: `config` points into this.
  void apply(const kmux_driver_launch& launch, DeviceState& device, CUlaunchConfig* config);

 private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id);
  void add_window(const kmux_driver_launch& launch, DeviceState& device);

  CUlaunchAttribute list_[4];  // not zeroed: only what an attribute needs is written
  unsigned count_ = 0;
};

}  // namespace kmux::nvidia
