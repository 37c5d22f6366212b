#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::hip {

enum class Engine {
  kAuto,    // hiprtc if installed and usable for the request, else Clang
  kHiprtc,  // AMD's compiler, in this process
  kClang,   // clang++ and lld, as child processes
};

/// The options of a build, including defaults.
struct BuildOptions {
  Engine engine = Engine::kAuto;
  std::vector<std::string> compile_flags = {};
  std::vector<std::string> include_dirs = {};  // absolute
  bool fast_math = false;
  bool graph = false;  // replay bodies as graphs, where `can_replay` returns true
};

/// Parses `options`; absent options come from the host ("hip.engine"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option, with the valid ones, an option's invalid value, or a compiler
///         flag that could write files or load code.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

}  // namespace kmux::hip
