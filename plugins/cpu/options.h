#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "tier.h"

namespace kmux::cpu {

enum class Engine {
  kClang,  // Clang in this process
  kHost,   // the machine's C++ compiler as a child process
};

/// The options of this backend, with defaults filled in.
struct BuildOptions {
  Engine engine = Engine::kClang;
  int opt_level = 3;
  Tier tier = Tier::kFull;
  std::string march = "native";       // "native": the target's processor
  std::string host_compiler = {};     // of engine host; empty: the first of c++, g++, clang++ in PATH
  std::string target_host = {};    // processor of the launcher; empty: as the kernels
  std::vector<std::string> compile_flags = {};
  std::vector<std::string> include_dirs = {};
  std::function<bool()> stopping = {};  // nobody waits for the result any more
};

/// Reads `options`; what is absent there comes from the host ("cpu.engine"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option, with the known ones, or a value that an option does not take.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

}  // namespace kmux::cpu
