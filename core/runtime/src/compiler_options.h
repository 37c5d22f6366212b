#pragma once

#include "kmux/backend.h"
#include "kmux/compile.h"

namespace kmux {

/// The options as a backend receives them: `options`, and "compile_flags", "include_dirs" (a line each element) and
/// "target_host" where they are given.
///
/// Errors: invalid_argument for an element with a line break, and for a name that is given both ways.
Result<Options> compiler_options(const CompileOptions& options);

}  // namespace kmux
