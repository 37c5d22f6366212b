#pragma once

#include "kmux/plugin/stream_ordered_devices.h"

#include "nvidia/opened_device.h"

namespace kmux::nvidia {

/// The devices that the CUDA driver lists (kDLCUDA). Memory comes from the default pool of the device.
using Devices = StreamOrderedDevices<OpenedDevice>;

}  // namespace kmux::nvidia

extern template class kmux::StreamOrderedDevices<kmux::nvidia::OpenedDevice>;
