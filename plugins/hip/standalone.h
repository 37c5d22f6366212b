#pragma once

#include "kmux/artifact.h"
#include "kmux/backend.h"

namespace kmux::hip {

/// What a library consists of that runs `built` without kmux (Backend::standalone): `launcher.cpp`, the code beside it, and
/// what to link.
///
/// The unit is the program's own part, its body over `kmux_driver` and `call` with the program's parameters and a
/// hipStream_t; then the launch layer and the entry points, the same in every unit; then facts and code of the program. It
/// opens HIP's runtime when it first runs: what KMUX_HIP_LIBRARY names, else what the loader finds.
///
/// Errors: invalid_argument for an artifact that backend hip did not make whole.
Result<Artifact> standalone_of(const BuildRequest& request, const Artifact& built);

}  // namespace kmux::hip
