#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::hip {

enum class Engine {
  kAuto,    // hiprtc where it is and knows the architecture, else Clang
  kHiprtc,  // AMD's compiler, in this process
  kClang,   // clang++ and lld, as child processes
};

/// The options of a build, with defaults filled in.
struct BuildOptions {
  Engine engine = Engine::kAuto;
  std::vector<std::string> compile_flags = {};
  std::vector<std::string> include_dirs = {};  // absolute
  bool fast_math = false;
  bool graph = false;  // replay bodies as graphs, where `can_replay` says so
};

/// Reads `options`; what is absent there comes from the host ("hip.engine"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option, with the known ones, a value that an option does not take, or
///         a compiler flag that could write files or load code.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

}  // namespace kmux::hip
