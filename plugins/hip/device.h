#pragma once

#include "kmux/plugin/stream_ordered_devices.h"

#include "opened_device.h"

namespace kmux::hip {

/// The devices that HIP lists (kDLROCM). Memory comes from the device's pool where it has one, else from hipMalloc.
using HipDevices = StreamOrderedDevices<OpenedDevice>;

}  // namespace kmux::hip

extern template class kmux::StreamOrderedDevices<kmux::hip::OpenedDevice>;
