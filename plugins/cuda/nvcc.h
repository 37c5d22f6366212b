#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/target.h"

namespace kmux::cuda {

/// CUDA's compiler on this machine.
struct Nvcc {
  std::string program;  // absolute
  std::string home;     // the toolkit's folder
};

/// Returns the nvcc of the first toolkit that has one: of option "cuda.home", of nvcc in PATH, of /usr/local/cuda.
/// Starts no process.
///
/// Errors: unavailable that lists every searched place.
Result<Nvcc> find_nvcc(const Host& host);

/// Returns the identity of this toolkit: its version, and path, size and time of the programs that generate code. Reads
/// a few small files.
Json identify(const Nvcc& nvcc);

/// Returns the release of this toolkit, by its version files; nothing if they lack it.
std::optional<nvidia::Release> release_of(const Nvcc& nvcc);

/// Logs a warning if the environment has flags for nvcc, which kmux does not pass on.
void warn_of_unused_flags(const Host& host);

/// Returns the absolute prerequisites of a make rule, as compilers write it for -MD; normalized and sorted.
std::vector<std::string> absolute_prerequisites(std::string_view rule);

}  // namespace kmux::cuda
