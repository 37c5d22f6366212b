#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux::nvrtc {

/// The in-memory headers of C, C++ and CUDA's runtime, which NVRTC lacks.
struct DeviceHeaders {
  std::vector<File> files;            // by the name in an #include
  std::vector<std::string>
      preludes;  // files among these to include before the source: names that nvcc declares without an include
};

/// Returns the headers for `variant`; none if it has no include and uses no such name. Headers in the user's `folders`
/// have precedence over these. Headers of CUDA's runtime in `toolkit`, the toolkit's header folders, have precedence
/// too.
///
/// Threads: any.   Source: docs/design/0057-host-code.md.
DeviceHeaders device_headers(const Variant& variant, const std::vector<std::string>& folders,
                             const std::vector<std::string>& toolkit);

}  // namespace kmux::nvrtc
