#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::cutedsl {

/// The options of the backend, including defaults.
struct BuildOptions {
  bool graph = false;                          // replay bodies as graphs, where possible
  std::string host_compiler = {};              // of the launcher; empty: the first in PATH
  std::vector<std::string> include_dirs = {};  // absolute; of Python modules, after the program's own
  bool keep_python = false;                    // one persistent Python process compiles all kernels
  bool line_info = false;
  int opt_level = 3;
  std::chrono::seconds timeout{600};           // of Python
};

/// Parses `options`; absent options come from the host ("cutedsl.graph"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option, with the valid ones, or an option's invalid value.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

/// Returns the options that the artifact depends on, for the identity of a toolchain.
Json to_json(const BuildOptions& options);

}  // namespace kmux::cutedsl
