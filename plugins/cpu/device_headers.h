#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux::cpu {

/// The headers that sources of dialects cuda and hip find; those of the machine are not searched.
struct DeviceHeaders {
  std::vector<File> files;  // in `kDeviceFolder` (engine/compiler.h)
  std::string prelude;      // the path of the one that comes before each source
};

/// The headers for a program whose files and options are `texts`: the prelude has what these may name, and all where names are
/// put together by a macro ("##"). What is large is only read where it is included.
DeviceHeaders device_headers(std::span<const std::string_view> texts, bool is_hip);

}  // namespace kmux::cpu
