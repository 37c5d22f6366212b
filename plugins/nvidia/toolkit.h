#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/plugin.hpp"

namespace kmux::nvidia {

/// The folders that may hold a CUDA toolkit, best first: option "cuda.home", that of nvcc in PATH, /usr/local/cuda.
std::vector<std::string> toolkit_homes(const Host& host);

/// The folders of `home` that hold the toolkit's headers: include, and include/cccl where the toolkit has it.
std::vector<std::string> toolkit_includes(const std::string& home);

}  // namespace kmux::nvidia
