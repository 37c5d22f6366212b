#pragma once

#include <string>
#include <vector>

#include "nvrtc/nvrtc_library.h"

namespace kmux::bench {

/// NVRTC as one calls it by hand. Throws if it cannot be opened or does not compile.
class BareNvrtc {
 public:
  explicit BareNvrtc(const std::string& path);
  /// `text` with these options; the code is read and thrown away.
  void compile(const std::string& text, const std::vector<std::string>& options) const;

 private:
  nvrtc::NvrtcTable calls_;
};

/// The file of the NVRTC that this process has open.
std::string open_nvrtc();

}  // namespace kmux::bench
