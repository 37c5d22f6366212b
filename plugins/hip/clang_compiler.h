#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/source_unit.h"

#include "options.h"

namespace kmux::hip {

struct Compiled;

/// Clang with its linker, as child processes.
struct ClangToolchain {
  std::string program;         // absolute
  std::string linker;          // lld of the same version, absolute
  std::string device_library;  // the folder of AMD's device library (ocml.bc), or empty
};

/// Finds clang++ (option "hip.clang", else clang++-19, clang++-20, clang++) and lld beside it or in PATH.
///
/// Errors: unavailable with what was tried and what to install.
Result<ClangToolchain> find_clang(const Host& host);

/// As `compile`, with Clang. HIP's headers are not needed: what sources may use is in device/builtins.h.
Result<Compiled> compile_with_clang(const ClangToolchain& clang, const SourceUnit& unit, const Settings& settings,
                                    const BuildOptions& options, std::string_view arch,
                                    const std::vector<std::string>& names);

}  // namespace kmux::hip
