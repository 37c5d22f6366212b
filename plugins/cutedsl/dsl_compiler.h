#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/process.h"

#include "entries.h"
#include "options.h"
#include "python_server.h"

namespace kmux::cutedsl {

/// The code of host functions: an object, assembler text with the data that its callers use, and the symbols of the
/// kernels that it launches.
struct HostCode {
  std::string object = {};  // empty: no host functions
  std::string table = {};
  std::vector<std::string> kernels = {};
};

/// Compiles the sources of a variant with CuTe DSL, in a separate Python process.
class DslCompiler {
 public:
  /// `server` may be null, must outlive the object, and is used with option `keep_python` only.
  DslCompiler(const Host& host, Python python, PythonServer* server = nullptr)
      : host_(host), python_(std::move(python)), server_(server) {}

  struct Output {
    std::string cubin;
    std::vector<std::string> symbols = {};  // of the entries in the cubin
    std::vector<std::string> imported = {};  // files of modules outside of identified packages
    std::string log = {};  // the output of Python
    std::string versions = {};  // of CuTe DSL and of Python, human-readable
    HostCode host = {};
  };
  /// Returns a cubin for the target's architecture, with code for each entry. Python runs in `folder`; at the time-out,
  /// its process group is killed.
  ///
  /// Errors: compile_failed with note "log", in the user's files and lines; unavailable if Python does not start or
  ///         cannot import CuTe DSL; timed_out after option `timeout_s`; cancelled if the process is about to end.
  Result<Output> compile(const CompilationFolder& folder, const BuildRequest& request, const BuildOptions& options,
                         const Entries& entries) const;

 private:
  Result<ProcessResult> run_python(const CompilationFolder& folder, const BuildRequest& request,
                                   const BuildOptions& options) const;

  Host host_;
  Python python_;
  PythonServer* server_;
};

/// Returns the job of a compilation, which `python/compile.py` reads. `program` is the folder of the program's files.
Json job_of(const BuildRequest& request, const BuildOptions& options, const Entries& entries, std::string program);

/// Returns the symbol of each entry in `cubin`. `said` has CuTe DSL's symbols in the order of the entries; those of
/// host functions may follow. If it is shorter, kernels are found by name patterns (printed/kernel_pattern.h).
///
/// Errors: compile_failed that names the kernel and lists the symbols; invalid_argument if `cubin` is not a cubin.
Result<std::vector<std::string>> kernel_symbols(const std::vector<Entry>& entries, const std::vector<std::string>& said,
                                                std::string_view cubin);

}  // namespace kmux::cutedsl
