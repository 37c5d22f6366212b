#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/compiler.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"

namespace kmux::simt {

/// The functions that kmux_cpu_clang.so provides to the plugin. That library contains Clang and LLVM and takes
/// milliseconds to open, so the plugin opens it for its first compilation. Loading and calling compiled code does not
/// need it.
///
/// The two must be built and installed together, since C++ types cross between them. Another version is refused.
struct CompilerApi {
  const char* version;
  Compiler* (*create)();
  void (*destroy)(Compiler* compiler);
  Result<CompiledObject> (*compile)(Compiler& compiler, const CompileJob& job);
  Result<std::vector<std::string>> (*system_folders)(Compiler& compiler, const CompileJob& job, Language language);
  Result<SourceFunctions> (*functions)(Compiler& compiler, const CompileJob& job);
  std::optional<Processor> (*find_cpu)(std::string_view name);
};

inline constexpr const char* kClangLibrary = "kmux_cpu_clang.so";  // beside the plugin
inline constexpr const char* kClangQuery = "kmux_cpu_clang_query";

}  // namespace kmux::simt

/// The only symbol that kmux_cpu_clang.so exports.
extern "C" const kmux::simt::CompilerApi* kmux_cpu_clang_query();
