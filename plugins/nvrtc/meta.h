#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux::nvrtc {

/// Names of the parts of an artifact.
inline constexpr const char* kCodePart = "code";          // cubin, PTX or fatbin
inline constexpr const char* kLauncherPart = "launcher";  // the plan, human-readable
inline constexpr const char* kMetaPart = "meta.json";

/// Part "meta.json": the facts of the code that `load` requires, and the record of its build.
struct Meta {
  std::string arch;                            // of the target
  std::string form;                            // "cubin", "ptx" or "fatbin"
  std::string compiler;                        // "NVRTC 13.0"; empty for ready code
  bool graph = false;                          // replay the body as a graph, where it can be
  std::map<std::string, std::string> symbols;  // by kernel
  std::vector<std::string> arguments;          // of the compiler
  int shared_carveout = -1;                    // percent; -1: the driver's choice
  bool operator==(const Meta&) const = default;
};

/// Returns the JSON text of `meta`.
std::string dump_meta(const Meta& meta);

/// Parses the output of `dump_meta`.
///
/// Errors: invalid_argument if `text` is not of that format.
Result<Meta> parse_meta(std::string_view text);

/// Returns the symbol of each of `kernels`.
///
/// Errors: invalid_argument that names a kernel without one.
Result<std::vector<std::string>> symbols_of(const std::vector<std::string>& kernels, const Meta& meta);

}  // namespace kmux::nvrtc
