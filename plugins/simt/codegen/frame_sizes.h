#pragma once

#include <string>

#include "kmux/error.h"

namespace kmux::simt {

/// Writes the sum of all frame sizes in `object` into the kmux_cpu_kernel of each kernel. No function that runs blocks
/// is recursive, so a launch needs no more stack than that.
///
/// Errors: internal if `object` is damaged.
Status write_frame_sizes(std::string& object);

}  // namespace kmux::simt
