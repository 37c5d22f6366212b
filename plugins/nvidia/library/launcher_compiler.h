#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/private_folder.h"

namespace kmux::nvidia {

/// Compilers at work in a folder of their own, which goes away with all that they leave.
class Compilation {
 public:
  /// `backend` is in the name of the folder.   Errors: unavailable if no folder can be made.
  static Result<Compilation> begin(const Host& host, const std::string& backend);

  const PrivateFolder& folder() const { return folder_; }

  /// Runs `program` in the folder, without a shell; its temporary files lie in the folder, too. Gives its output.
  ///
  /// Errors: compile_failed, "cannot WHAT (the first error)", with notes "log" and "command"; unavailable if the program
  ///         cannot be started, or the process is about to end.
  Result<std::string> run(std::string_view what, const std::string& program, std::vector<std::string> arguments) const;

 private:
  Compilation(Host host, PrivateFolder folder) : host_(host), folder_(std::move(folder)) {}
  Host host_;
  PrivateFolder folder_;
};

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

  /// The library, of what `translate` made and `cubin`, in which `kernels` have the names `symbols`. Of `beside`, files for the
  /// assembler, objects (".o") are linked; what they define is not exported.
  Result<std::string> link(std::string_view cubin, const std::vector<std::string>& kernels,
                           const std::vector<std::string>& symbols,
                           const std::vector<Artifact::Part>& beside = {}) const;

 private:
  Status add_files(const std::vector<Artifact::Part>& files, std::vector<std::string>& arguments) const;

  const Compilation& compilation_;
  std::string compiler_;
};

}  // namespace kmux::nvidia
