#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::metal {

/// The options of a build, with defaults filled in.
struct BuildOptions {
  bool fast_math = false;
  unsigned long language_version = 0;           // MTLLanguageVersion; 0: the newest that the system knows
  std::vector<std::string> function_constants;  // as `parse_constant` reads them
  bool operator==(const BuildOptions&) const = default;
};

/// Reads `options`; what is absent there comes from the host ("metal.fast_math"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option with its value, or a value that an option does not take.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

/// All of them as one line of JSON, for the identity of a toolchain.
std::string to_json(const BuildOptions& options);

}  // namespace kmux::metal
