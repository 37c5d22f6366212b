#pragma once

#include <functional>
#include <string_view>

#include "kmux/error.h"
#include "kmux/target.h"

#include "nvidia/arch.h"

namespace kmux::nvidia {

/// The architecture of the device that a request is for; asked only where the request names none.
using DeviceArch = std::function<Result<Arch>()>;

/// The canonical target, `cuda:sm_90a`, for "auto", "cuda", "cuda:sm_90", "sm_90a" and TileLang's forms of these. From
/// sm_90 on an architecture without suffix gets "a".
///
/// Errors: invalid_argument for another kind, architecture or attribute, with what backend `backend` takes; those of
///         `device_arch`.
Result<Target> resolve_cuda_target(std::string_view request, std::string_view backend, const DeviceArch& device_arch);

/// The architecture of a target that `resolve_cuda_target` gave.
///
/// Errors: invalid_argument if it is none.
Result<Arch> arch_of(const Target& target);

}  // namespace kmux::nvidia
