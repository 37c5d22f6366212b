#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux::cpu {

/// The folder of the headers that sources of dialects cuda and hip find; those of the machine are not searched.
inline constexpr const char* kDeviceFolder = "kmux-device";

/// What comes before a source of dialect cuda or hip: those of `device_headers` that declare what `texts`, the program's files
/// and options, may name. All of them where names are put together by a macro.
std::vector<std::string> device_preludes(std::span<const std::string_view> texts, bool is_hip);

/// The headers themselves, in `kDeviceFolder`. What is large is only read where it is included.
std::vector<File> device_headers();

}  // namespace kmux::cpu
