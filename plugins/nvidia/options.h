#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/target.h"

namespace kmux::nvidia {

enum class Tier {
  kFast,  // so that a kernel can be called soon
  kFull,  // everything the compiler can do
};

/// The options of a backend for NVIDIA's devices, with defaults filled in.
struct BuildOptions {
  std::vector<std::string> compile_flags = {};
  std::vector<std::string> include_dirs = {};  // absolute
  bool fast_math = false;
  int max_registers = 0;  // 0: the compiler's choice
  bool line_info = true;
  bool device_debug = false;  // code for a debugger: no optimisation, and no line_info beside it
  bool graph = false;  // replay bodies as graphs, where `can_replay` (kmux/plugin/plan.h) says so
  int shared_carveout = -1;  // percent of what a multiprocessor has for it and its L1 cache; -1: the driver's choice
  Tier tier = Tier::kFull;
  std::string host_compiler = {};  // of the launcher; backend cuda only
  bool lto = false;  // sources are compiled one by one, and linked with optimization across them; backend nvrtc only
};

/// Reads `options`; what is absent there comes from the host ("nvrtc.graph" for backend "nvrtc"), else from the defaults.
/// `host_compiler` is known to backend "cuda" only, `lto` to "nvrtc".
///
/// Errors: invalid_argument that names an unknown option, with the known ones, or a value that an option does not take.
Result<BuildOptions> parse_options(const Options& options, const Host& host, std::string_view backend);

/// What NVRTC and nvcc are told so that they warn of registers that are spilled to local memory: nothing where that is meant, in
/// code for a debugger and code that only has to come soon.
std::vector<std::string> spill_arguments(const BuildOptions& options, Arch arch);

/// Are all `flags` of the kinds that change how a kernel is compiled and nothing else? The list has what nvcc and NVRTC
/// take; which of the two takes a flag it says itself.
///
/// Errors: invalid_argument that names the first other flag: one that writes files, loads code, runs a program, reads
///         options from a file, or is in two pieces.
Status check_flags(const std::vector<std::string>& flags, std::string_view backend);

/// The folders that may hold a CUDA toolkit, best first: option "cuda.home", that of nvcc in PATH, /usr/local/cuda.
std::vector<std::string> toolkit_homes(const Host& host);

/// The folders of `home` that hold the toolkit's headers: include, and include/cccl where the toolkit has it.
std::vector<std::string> toolkit_includes(const std::string& home);

}  // namespace kmux::nvidia
