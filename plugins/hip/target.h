#pragma once

#include <functional>
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

}  // namespace kmux::hip
