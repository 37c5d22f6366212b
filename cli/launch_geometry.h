// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "source_kernels.h"

namespace kmux::cli {

/// A guessed launch geometry.
struct LaunchGeometry {
  std::string text;    // between <<< and >>>: "ceildiv(n, 256), 256"
  std::string reason;  // "a thread an element"
};

/// Guesses grid and block from the use of indices in the kernel's body, and bytes of dynamic shared memory if it has
/// any. `sizes` are the names of its sizes.
LaunchGeometry geometry_of(const SourceKernel& kernel, const std::vector<std::string>& sizes);

}  // namespace kmux::cli
