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

/// What CuTe DSL makes of host functions: an object, a text for the assembler with what calls of it must know, and the symbols of
/// the kernels that it launches.
struct HostCode {
  std::string object = {};  // empty: there are none
  std::string table = {};
  std::vector<std::string> kernels = {};
};

/// Compiles the sources of a variant with CuTe DSL, in a Python of its own.
class DslCompiler {
 public:
  /// `server` may be null; it is used if the options ask for it.
  DslCompiler(const Host& host, Python python, PythonServer* server = nullptr)
      : host_(host), python_(std::move(python)), server_(server) {}

  struct Output {
    std::string cubin;
    std::vector<std::string> symbols = {};  // of the entries in the cubin
    std::vector<std::string> imported = {};  // files of modules that belong to no known package
    std::string log = {};  // the output of Python
    std::string versions = {};  // of CuTe DSL and of Python, for people
    HostCode host = {};
  };
  /// A cubin for the target's architecture, with code for each entry. Python runs in `folder`; it and all that
  /// it starts are killed when it takes too long.
  ///
  /// Errors: compile_failed with note "log", in the user's files and lines; unavailable if Python or CuTe DSL does not start
  ///         or does not end in time.
  Result<Output> compile(const CompilationFolder& folder, const BuildRequest& request, const BuildOptions& options,
                         const Entries& entries) const;

 private:
  Result<ProcessResult> run_python(const CompilationFolder& folder, const BuildRequest& request,
                                   const BuildOptions& options) const;

  Host host_;
  Python python_;
  PythonServer* server_;
};

/// The job of a compilation, which `python/compile.py` reads. `program` is the folder of the program's files.
Json job_of(const BuildRequest& request, const BuildOptions& options, const Entries& entries, std::string program);

/// The symbol of each entry in `cubin`. `said` is what CuTe DSL told, in the order of the entries; where it told nothing,
/// the kernels are found by their names' patterns (printed/kernel_pattern.h). Those of host functions may follow.
///
/// Errors: compile_failed that names the kernel and the symbols that there are; invalid_argument if it is no cubin.
Result<std::vector<std::string>> kernel_symbols(const std::vector<Entry>& entries, const std::vector<std::string>& said,
                                                std::string_view cubin);

}  // namespace kmux::cutedsl
