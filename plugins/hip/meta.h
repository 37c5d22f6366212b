#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux::hip {

/// Names of the parts of an artifact.
inline constexpr const char* kCodePart = "code";          // a code object
inline constexpr const char* kLauncherPart = "launcher";  // C++, for people
inline constexpr const char* kMetaPart = "meta.json";

/// What `load` must know of a kernel in the code.
struct KernelMeta {
  std::string symbol;
  unsigned static_smem_bytes = 0;
  unsigned max_threads = 0;  // of a block; 0: the code does not say
  unsigned wavefront_size = 0;
  bool operator==(const KernelMeta&) const = default;
};

/// Part "meta.json": what `load` must know of the code, and how it came about.
struct Meta {
  std::string arch;
  std::string compiler;  // "hiprtc 5.2", "clang++-19"; empty for code that came ready
  std::map<std::string, KernelMeta> kernels;
  std::vector<std::string> arguments;  // of the compiler
  bool graph = false;  // replay the body as a graph, where it can be
  bool operator==(const Meta&) const = default;
};

std::string dump_meta(const Meta& meta);

/// Errors: invalid_argument if `text` is not what `dump_meta` writes.
Result<Meta> parse_meta(std::string_view text);

}  // namespace kmux::hip
