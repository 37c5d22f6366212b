#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compilation.h"

namespace kmux::nvidia {

/// Compiles the text of a launcher to a shared library with the machine's C++ compiler, in two steps, since only the
/// second needs the code.
///
/// Errors of both: compile_failed with notes "log" and "command"; unavailable if the compiler cannot be started.
class LauncherCompiler {
 public:
  LauncherCompiler(const Compilation& compilation, std::string compiler)
      : compilation_(compilation), compiler_(std::move(compiler)) {}

  /// C++ to assembly. May run beside the device's compiler.
  Status translate(std::string_view text) const;

  /// The library, of what `translate` made and `cubin`, in which `kernels` have the names `symbols`.
  Result<std::string> link(std::string_view cubin, const std::vector<std::string>& kernels,
                           const std::vector<std::string>& symbols) const;

 private:
  const Compilation& compilation_;
  std::string compiler_;
};

}  // namespace kmux::nvidia
