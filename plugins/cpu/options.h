#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "engine/compiler.h"

namespace kmux::cpu {

enum class Engine {
  kClang,  // Clang in this process
  kHost,   // the machine's C++ compiler as a child process
};

/// What a build makes.
enum class Emit {
  kCode,
  kFunctions,  // a list of what the source defines, as part `functions` of an artifact that cannot be loaded
};

/// The options of this backend, with defaults filled in.
struct BuildOptions {
  Engine engine = Engine::kClang;
  Emit emit = Emit::kCode;
  int opt_level = 3;
  Tier tier = Tier::kFull;
  CheckOptions check = {};
  std::string march = "native";       // "native": the target's processor
  std::string host_compiler = {};     // of engine host; empty: the first of c++, g++, clang++ in PATH
  std::string target_host = {};    // processor of the launcher; empty: as the kernels
  std::vector<std::string> compile_flags = {};
  std::vector<std::string> include_dirs = {};
  std::function<bool()> stopping = {};  // no caller waits for the result
};

/// Reads `options`; what is absent there comes from the host ("cpu.engine"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option, with the known ones, or a value that an option does not take.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

/// Accepts `flags` that `is_allowed_flag` knows, each in one piece.
///
/// Errors: invalid_argument that names the first other flag.
Status check_flags(const std::vector<std::string>& flags);

}  // namespace kmux::cpu
