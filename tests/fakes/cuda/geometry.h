#pragma once

#include <string>

#include "objects.h"

namespace kmux::fake_cuda {

/// Reads one launch attribute into `geometry` and appends its text ("cluster 2,1,1") to `text`.
///
/// Errors: INVALID_VALUE for an attribute that this driver does not know, or for a window that is invalid for `device`.
CUresult read_attribute(const CUlaunchAttribute& attribute, const Device& device, Geometry& geometry,
                        std::string& text);

/// Returns the most threads of a block, by the settings of the kernel.
int most_threads_of(const Kernel& kernel);

/// Checks a launch of `kernel` on `device`, the current one, as the driver does.
CUresult check_geometry(const Kernel& kernel, int device, const Geometry& geometry);

/// Example: " grid 4,1,1 block 128,1,1 smem 0"
std::string geometry_text(const Geometry& geometry);

}  // namespace kmux::fake_cuda
