#pragma once

#include <string>

#include "kmux/plugin/backend.h"

#include "meta.h"

namespace kmux::cpu {

/// The parts of a library that runs relocatable code without kmux (kmux::Backend::standalone). `artifact` has it as part
/// "code", and ready objects; kernels that are not all of C may throw.
Artifact standalone_parts(const Artifact& artifact, const Meta& meta, bool kernels_may_throw);

}  // namespace kmux::cpu
