#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::metal {

/// The options of a build, including defaults.
struct BuildOptions {
  bool fast_math = false;
  unsigned long language_version = 0;           // MTLLanguageVersion; 0: the newest of the system
  std::vector<std::string> function_constants;  // in the form that `parse_constant` takes
  bool operator==(const BuildOptions&) const = default;
};

/// Parses `options`; absent options come from the host ("metal.fast_math"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option with its value, or an option's invalid value.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

/// Returns all options as one line of JSON, for the identity of a toolchain.
std::string to_json(const BuildOptions& options);

}  // namespace kmux::metal
