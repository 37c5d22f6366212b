#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "simt/check/check_options.h"
#include "simt/frontend/job.h"

namespace kmux::cpu {

enum class Engine {
  kClang,  // Clang in this process
  kHost,   // the machine's C++ compiler as a child process
};

/// The output of a build.
enum class Emit {
  kCode,
  kFunctions,  // list of the source's functions, as part `functions` of an artifact that cannot be loaded
};

/// The options of this backend, with defaults filled in.
struct BuildOptions {
  Engine engine = Engine::kClang;
  Emit emit = Emit::kCode;
  int opt_level = 3;
  simt::Tier tier = simt::Tier::kFull;
  simt::CheckOptions check = {};
  std::string march = "native";       // "native": the target's processor
  std::string host_compiler = {};     // of engine host; empty: the first of c++, g++, clang++ in PATH
  std::string target_host = {};    // processor of the launcher; empty: that of the kernels
  std::vector<std::string> compile_flags = {};
  std::vector<std::string> include_dirs = {};
  bool replaces_templates = true;  // by kmux's headers for TileLang's where these suffice; no option of a caller
  std::function<bool()> stopping = {};  // returns true once no caller waits for the result
};

/// Returns the parsed `options`. A missing option comes from the host ("cpu.engine"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option and lists the known ones, or names an invalid value.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

/// Returns ok if `is_allowed_flag` accepts each of `flags`. Each flag must be in one piece.
///
/// Errors: invalid_argument that names the first flag that is not allowed.
Status check_flags(const std::vector<std::string>& flags);

}  // namespace kmux::cpu
