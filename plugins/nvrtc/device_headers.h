#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux::nvrtc {

/// The headers of C, of C++ and of CUDA's runtime that sources find in memory, as NVRTC has none of them.
struct DeviceHeaders {
  std::vector<File> files;            // by the names that an #include has
  std::vector<std::string>
      preludes;  // of these, what comes before the source: names that nvcc brings without an include
};

/// Those for `variant`; none if it includes nothing and names nothing of them. A header that one of `folders` has, which are the
/// user's, is left to that. `toolkit` are the folders of the toolkit's headers: what these have is theirs.
///
/// Threads: any.   Source: docs/design/0057-host-code.md.
DeviceHeaders device_headers(const Variant& variant, const std::vector<std::string>& folders,
                             const std::vector<std::string>& toolkit);

}  // namespace kmux::nvrtc
