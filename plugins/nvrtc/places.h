#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/plugin.hpp"

#include "nvidia/target.h"

namespace kmux::nvrtc {

/// The command that installs NVRTC and every header that it needs from PyPI, for messages. The packages are those of
/// NVRTC_PACKAGES in kmux.sh and of the extra `nvrtc` of the wheel (tools/nvrtc_packages_test.py compares them).
inline constexpr std::string_view kPipInstall =
    "`pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt`";

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

/// The release of NVRTC `library`, without opening it, which can take half a second: the library that it opens has the number
/// in its name. Opens it where that is not beside it, or there are several; nothing if it cannot be opened.
std::optional<nvidia::Release> release_of(const std::string& library);

/// The folders of the toolkit's headers (cuda_fp16.h, cccl) for NVRTC `library`: those of the same toolkit or package,
/// else of the first toolkit that has them. Empty if none has: sources without #include need none.
std::vector<std::string> header_folders(const std::string& library, const Host& host);

/// What to install if `message` of NVRTC reports a header of the toolkit that cannot be opened; nothing if it reports another
/// thing. PyPI spreads the headers over several packages, so some may be there without the others.
std::optional<std::string> toolkit_header_advice(std::string_view message);

}  // namespace kmux::nvrtc
