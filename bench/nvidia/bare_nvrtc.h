#pragma once

#include <string>
#include <vector>

#include "nvrtc/nvrtc_library.h"

namespace kmux::bench {

/// Direct calls of NVRTC. Throws if it cannot be opened or does not compile.
class BareNvrtc {
 public:
  explicit BareNvrtc(const std::string& path);
  /// Compiles `text` with these options; reads and drops the code.
  void compile(const std::string& text, const std::vector<std::string>& options) const;

 private:
  nvrtc::NvrtcTable calls_;
};

/// Returns the path of the NVRTC that this process has open.
std::string open_nvrtc();

}  // namespace kmux::bench
