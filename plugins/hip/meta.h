#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux::hip {

/// Names of the parts of an artifact.
inline constexpr const char* kCodePart = "code";          // a code object
inline constexpr const char* kLauncherPart = "launcher";  // C++, human-readable
inline constexpr const char* kMetaPart = "meta.json";

/// The facts of a kernel in the code that `load` requires.
struct KernelMeta {
  std::string symbol;
  unsigned static_smem_bytes = 0;
  unsigned max_threads = 0;  // of a block; 0: unknown
  unsigned wavefront_size = 0;
  bool operator==(const KernelMeta&) const = default;
};

/// Part "meta.json": the facts of the code that `load` requires, and the record of its build.
struct Meta {
  std::string arch;
  std::string compiler;  // "hiprtc of HIP 5.2", "/usr/bin/clang++-19"; empty for ready code
  std::map<std::string, KernelMeta> kernels;
  std::vector<std::string> arguments;  // of the compiler
  bool graph = false;  // replay the body as a graph, where possible
  bool operator==(const Meta&) const = default;
};

/// Returns the JSON text of `meta`.
std::string dump_meta(const Meta& meta);

/// Parses the output of `dump_meta`.
///
/// Errors: invalid_argument if `text` is not of that format.
Result<Meta> parse_meta(std::string_view text);

}  // namespace kmux::hip
