#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/target.h"

namespace kmux::cuda {

/// CUDA's compiler as it was found on this machine.
struct Nvcc {
  std::string program;  // absolute
  std::string home;     // the toolkit's folder
};

/// The nvcc of the first toolkit that has one: that of option "cuda.home", of nvcc in PATH, of /usr/local/cuda. Starts no
/// process.
///
/// Errors: unavailable that names every place.
Result<Nvcc> find_nvcc(const Host& host);

/// What identifies this toolkit: its version, and path, size and time of the programs that make code. Reads a few
/// small files.
Json identify(const Nvcc& nvcc);

/// The release of this toolkit, by the same files; nothing if none says it.
std::optional<nvidia::Release> release_of(const Nvcc& nvcc);

/// Logs a warning if the user has set flags for nvcc in the environment, which nvcc is not started with.
void warn_of_unused_flags(const Host& host);

/// The absolute paths that a rule for make depends on, as compilers write it for -MD, normalised and sorted.
std::vector<std::string> absolute_prerequisites(std::string_view rule);

}  // namespace kmux::cuda
