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

/// Returns the folders that may hold NVRTC, best first. They are those of the CUDA toolkit, then those of PyPI's
/// nvidia-cuda-nvrtc in the virtual environment of option "nvrtc.venv" and beside this plugin.
std::vector<std::string> library_folders(const Host& host);

/// Returns the absolute path of NVRTC: the file of option "nvrtc.library", else the first in `library_folders`, else
/// the loader's choice. Only the last case opens the library.
///
/// Errors: unavailable that lists every searched place and the packages to install.
Result<std::string> find_library(const Host& host);

/// Returns the path of NVRTC in `folders`, else the loader's choice.
///
/// Errors: as `find_library`.
Result<std::string> find_library_in(const std::vector<std::string>& folders);

/// Returns the release of NVRTC `library`, if possible by the file name of its builtins library, since opening NVRTC
/// can take half a second. Opens NVRTC if no builtins library, or more than one, is beside it. Returns nothing if
/// opening fails.
std::optional<nvidia::Release> release_of(const std::string& library);

/// Returns the folders of the toolkit's headers (cuda_fp16.h, cccl) for NVRTC `library`: those of the same toolkit or
/// package, else of the first toolkit with headers. Empty if no toolkit has headers: sources without #include need
/// none.
std::vector<std::string> header_folders(const std::string& library, const Host& host);

/// Returns advice on packages to install if `message` of NVRTC reports a missing toolkit header; nothing for other
/// messages. PyPI splits the headers into several packages, so an installation may have only some of them.
std::optional<std::string> toolkit_header_advice(std::string_view message);

}  // namespace kmux::nvrtc
