#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::nvidia {

/// Runs compilers in private temporary folders, which are removed with the object.
class Compilation {
 public:
  /// Creates the folder; its name contains `backend`.   Errors: unavailable if no folder can be created.
  static Result<Compilation> begin(const Host& host, const std::string& backend);

  const CompilationFolder& folder() const { return folder_; }

  /// The search paths of a compiler beyond the program's and the system's.
  struct Places {
    std::vector<std::string> reads = {};  ///< folders of headers and of installations
    std::string libraries = {};           ///< its LD_LIBRARY_PATH; empty: the caller's
  };
  /// Runs `program` as a `compiler_command`. Returns its output, in which files have the program's names.
  ///
  /// Errors: compile_failed, "cannot WHAT (the first error)", with notes "log" and "command"; unavailable if the program
  ///         cannot be started; cancelled if the process is about to end.
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

/// Compiles the text of a launcher to a shared library with the machine's C++ compiler. It has two steps, since only
/// the second requires the device code.
///
/// Errors of both: compile_failed with notes "log" and "command"; unavailable if the compiler cannot be started.
class LauncherCompiler {
 public:
  LauncherCompiler(const Compilation& compilation, std::string compiler)
      : compilation_(compilation), compiler_(std::move(compiler)) {}

  /// Compiles C++ to assembly. May run concurrently with the device compiler.
  Status translate(std::string_view text) const;

  /// Links the output of `translate` and `cubin`, in which `kernels` have the names `symbols`, and returns the library.
  /// The files of `beside` are input of the assembler; objects (".o") among them are linked, but their symbols are not
  /// exported.
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
