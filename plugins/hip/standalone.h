#pragma once

#include "kmux/artifact.h"
#include "kmux/error.h"

namespace kmux::hip {

/// What a library consists of that runs `built` without kmux (Backend::standalone): `launcher.cpp` (launcher_text.h), the
/// code beside it, and what to link.
///
/// Errors: invalid_argument for an artifact that backend hip did not make whole.
Result<Artifact> standalone_of(const Artifact& built);

}  // namespace kmux::hip
