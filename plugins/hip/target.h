#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/error.h"
#include "kmux/target.h"

namespace kmux::hip {

/// The architecture of the device that a request is for; asked only where the request names none.
using DeviceArch = std::function<Result<std::string>()>;

/// The canonical target, `hip:gfx942`, for "auto", "hip", "hip:gfx942", "gfx942", "rocm:gfx942" and TileLang's forms of
/// these ("hip -mcpu=gfx942").
///
/// Errors: invalid_argument for another kind, architecture or attribute; those of `device_arch`.
Result<Target> resolve_hip_target(std::string_view request, const DeviceArch& device_arch);

/// An architecture of AMD's devices without its features: "gfx90a" of "gfx90a:sramecc+:xnack-".
///
/// Nothing if `text` is none: "gfx", digits, and at most one letter a to f among the last two places.
std::optional<std::string> parse_arch(std::string_view text);

/// Do the compilers of ROCm 5 know `arch`? Those of 6 and later are taken to know all.
///
/// Source: LLVM 15, AMDGPUUsage, "Processors"; gfx11 has no device library in Debian's 5.2.3.
bool is_known_to_rocm5(std::string_view arch);

/// Threads that run together on `arch`: 64 up to gfx9, 32 from gfx10 on.
int wavefront_size(std::string_view arch);

}  // namespace kmux::hip
