#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::nvidia {

/// Compilers at work in folders of their own, which go away with all that they leave.
class Compilation {
 public:
  /// `backend` is in the name of the folder.   Errors: unavailable if no folder can be made.
  static Result<Compilation> begin(const Host& host, const std::string& backend);

  const CompilationFolder& folder() const { return folder_; }

  /// Where a compiler finds what neither the program nor the system has.
  struct Places {
    std::vector<std::string> reads = {};  ///< folders of headers and of installations
    std::string libraries = {};           ///< its LD_LIBRARY_PATH; empty: the caller's
  };
  /// Runs `program` as `compiler_command` has it, and returns its output in the program's names of files.
  ///
  /// Errors: compile_failed, "cannot WHAT (the first error)", with notes "log" and "command"; unavailable if the program
  ///         cannot be started, or the process is about to end.
  Result<std::string> run(std::string_view what, const std::string& program, std::vector<std::string> arguments,
                          const Places& places) const;
  Result<std::string> run(std::string_view what, const std::string& program, std::vector<std::string> arguments) const {
    return run(what, program, std::move(arguments), Places());
  }

 private:
  Compilation(Host host, CompilationFolder folder) : host_(host), folder_(std::move(folder)) {}
  Host host_;
  CompilationFolder folder_;
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
  std::string path_of(const char* name) const;
  Status add_files(const std::vector<Artifact::Part>& files, std::vector<std::string>& arguments) const;

  const Compilation& compilation_;
  std::string compiler_;
};

}  // namespace kmux::nvidia
