#pragma once

#include <string>
#include <vector>

#include "kmux/plugin.hpp"

namespace kmux::nvrtc {

/// The folders that may hold NVRTC, best first: those of the CUDA toolkit; of PyPI's nvidia-cuda-nvrtc in the virtual
/// environment that option "nvrtc.venv" names; of the same package beside this plugin.
std::vector<std::string> library_folders(const Host& host);

/// The absolute path of NVRTC: the file that option "nvrtc.library" names, else the first in `library_folders`, else what
/// the loader finds. Only the last opens it.
///
/// Errors: unavailable that names every place and what to install.
Result<std::string> find_library(const Host& host);

/// As `find_library`, in `folders`, else what the loader finds.
Result<std::string> find_library_in(const std::vector<std::string>& folders);

/// The folders of the toolkit's headers (cuda_fp16.h, cccl) for NVRTC `library`: those of the same toolkit or package,
/// else of the first toolkit that has them. Empty if none has: sources without #include need none.
std::vector<std::string> header_folders(const std::string& library, const Host& host);

}  // namespace kmux::nvrtc
