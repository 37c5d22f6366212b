#pragma once

#include <string>

#include "objects.h"

namespace kmux::fake_cuda {

/// Reads one launch attribute into `geometry` and writes it to `text` ("cluster 2,1,1").
///
/// Errors: INVALID_VALUE for one that this driver does not know, or for a window that `device` cannot have.
CUresult read_attribute(const CUlaunchAttribute& attribute, const Device& device, Geometry& geometry,
                        std::string& text);

/// Of a block, by what is told of the kernel.
int most_threads_of(const Kernel& kernel);

/// What the driver checks of a launch of `kernel` on `device`, the current one.
CUresult check_geometry(const Kernel& kernel, int device, const Geometry& geometry);

/// " grid 4,1,1 block 128,1,1 smem 0"
std::string geometry_text(const Geometry& geometry);

}  // namespace kmux::fake_cuda
