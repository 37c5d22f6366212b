#pragma once

#include "run_request.h"

namespace kmux::cli {

/// Compiles, calls, checks and writes.
///
/// Errors: of each; nothing is written before the kernel has been called.
Result<Report> run(RunRequest request);

}  // namespace kmux::cli
