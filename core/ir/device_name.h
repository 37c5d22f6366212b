#pragma once

#include <string>

#include "kmux/dlpack.h"

namespace kmux {

/// A device by DLPack's name for its kind, for messages: "cpu", "cuda:0", "rocm:1", "device type 42, ordinal 0".
///
/// Source: DLPack 1.1, DLDeviceType.
std::string to_string(DLDevice device);

}  // namespace kmux
