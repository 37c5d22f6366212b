#pragma once

#include "kmux/device.h"
#include "kmux/error.h"

#include "plan/printed/call_device.h"

namespace kmux {

/// Where tensors may be for a kernel that was compiled for `device`. Asks the plugin about its other devices.
Result<AcceptedMemory> accepted_memory(const Device& device);

}  // namespace kmux
