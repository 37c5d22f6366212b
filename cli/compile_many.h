#pragma once

#include <string>
#include <vector>

#include "kmux/compile.h"

#include "command.h"

namespace kmux::cli {

struct CompileManyOptions {
  CompileOptions each = {};
  int jobs = 0;             // at the same time; 0: one a core
  bool keep_going = false;  // compile the rest if one fails
};

/// Compiles the programs of `paths` at the same time, with progress on stderr and the errors after it; Ctrl-C cancels.
///
/// The report's code is that of the first failure in the order of `paths`.
/// Errors: those of the runtime and of the options; a program's own are part of the report.
Result<Report> compile_many(const std::vector<std::string>& paths, const CompileManyOptions& options);

}  // namespace kmux::cli
