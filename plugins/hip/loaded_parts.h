#pragma once

#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/plan.h"

#include "meta.h"

namespace kmux::hip {

/// What an artifact of backend hip holds, read.
struct LoadedParts {
  std::string code;
  Plan plan;
  std::vector<KernelMeta> kernels;  // of the plan, in its order
};

/// Errors: invalid_argument if the artifact is of another backend or incomplete.
Result<LoadedParts> read_parts(const Artifact& artifact);

}  // namespace kmux::hip
