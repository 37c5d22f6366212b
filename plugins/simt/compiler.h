#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"
#include "simt/frontend/source_functions.h"

namespace kmux::simt {

/// Compiles C and C++ to an object file, in this process and without temporary files.
///
/// All units and the launcher become one module in which only the launcher is visible, so that its constants reach the
/// kernels. The headers at the beginning of a source are compiled in advance for the next source with the same
/// beginning. That changes neither code nor messages.
/// Threads: any, concurrently.   Lifetime: keeps the compiler's argument lists.
class Compiler {
 public:
  Compiler();
  ~Compiler();

  /// Returns the object of `job`.
  ///
  /// Errors: compile_failed with the messages, in the user's lines, as note "log"; compile_failed that lists the
  ///         functions if a kernel is not defined; invalid_argument if a kernel is called with other types than its
  ///         own; unsupported for constructs that only a GPU has; unavailable if the compiler's library is missing.
  Result<CompiledObject> compile(const CompileJob& job);

  /// Returns the functions that the job's only unit defines. Uses nothing else of the job but its files and arguments.
  ///
  /// Errors: compile_failed with the messages if the source has errors, unless the first is about a header and some
  ///         function is found.
  Result<SourceFunctions> functions(const CompileJob& job);

  /// Returns the header folders of the compiler and the machine, in search order.
  Result<std::vector<std::string>> system_folders(const CompileJob& job, Language language);

  /// Blocks until no headers are being compiled in advance. For tests.
  void wait_for_preambles();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kmux::simt
