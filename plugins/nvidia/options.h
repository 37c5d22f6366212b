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
  kFast,  // short compile time
  kFull,  // full optimization
};

/// The options of a backend for NVIDIA's devices, including defaults.
struct BuildOptions {
  std::vector<std::string> compile_flags = {};
  std::vector<std::string> include_dirs = {};  // absolute
  bool fast_math = false;
  int max_registers = 0;  // 0: the compiler's choice
  bool line_info = true;
  bool device_debug = false;  // code for a debugger: no optimization, and line_info is ignored
  bool graph = false;  // replay bodies as graphs, where `can_replay` (kmux/plugin/plan.h) returns true
  int shared_carveout = -1;  // percent of the multiprocessor's memory for shared memory and L1; -1: the driver's choice
  Tier tier = Tier::kFull;
  std::string host_compiler = {};  // for nvcc and the launcher; backend cuda only
  bool lto = false;  // compile sources separately, and optimize across them when linking; backend nvrtc only
};

/// Parses `options`; absent options come from the host ("nvrtc.graph" for backend "nvrtc"), else from the defaults.
/// Option `host_compiler` is valid for backend "cuda" only, `lto` for "nvrtc" only.
///
/// Errors: invalid_argument that names an unknown option, with the valid ones, or an option's invalid value.
Result<BuildOptions> parse_options(const Options& options, const Host& host, std::string_view backend);

/// Returns the arguments that make NVRTC and nvcc warn of registers spilled to local memory. Returns none for PTX, and
/// none where spills are expected: in code for a debugger and in tier `fast`.
std::vector<std::string> spill_arguments(const BuildOptions& options, Arch arch);

/// Checks that `flags` only change how a kernel is compiled. The allowed flags are those of nvcc and NVRTC together;
/// each compiler itself rejects flags that only the other one accepts.
///
/// Errors: invalid_argument that names the first invalid flag: one that writes files, loads code, runs a program, reads
///         options from a file, or is in two pieces.
Status check_flags(const std::vector<std::string>& flags, std::string_view backend);

/// Returns the folders that may hold a CUDA toolkit, best first: option "cuda.home", that of nvcc in PATH,
/// /usr/local/cuda.
std::vector<std::string> toolkit_homes(const Host& host);

/// Returns the existing header folders of the toolkit at `home`: include and include/cccl.
std::vector<std::string> toolkit_includes(const std::string& home);

}  // namespace kmux::nvidia
