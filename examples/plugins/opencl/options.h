#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::opencl {

/// The options of a build, with defaults filled in.
struct BuildOptions {
  std::vector<std::string> compile_flags;
  std::vector<std::string> include_dirs;
  bool fast_math = false;
  bool operator==(const BuildOptions&) const = default;
};

/// Reads `options`; what is absent there comes from the host ("opencl.fast_math"), else from the defaults.
///
/// Errors: invalid_argument that names an unknown option with its value, or a value that an option does not take.
Result<BuildOptions> parse_options(const Options& options, const Host& host);

/// All of them as JSON, for the identity of a toolchain.
Json to_json(const BuildOptions& options);

/// What a compiler of OpenCL C is given beside the text: the options, the settings of the variant, and `folders` to look for
/// headers in.
///
/// Errors: invalid_argument for a standard that is not one of OpenCL C, and for a folder that cannot be passed.
Result<std::string> compiler_options(const BuildOptions& options, const Settings& settings,
                                     const std::vector<std::string>& folders);

}  // namespace kmux::opencl
