#pragma once

#include "kmux/compile_options.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"

namespace kmux {

class Runtime;

/// The options as a backend receives them: `options`, and "compile_flags", "include_dirs" (a line each element) and
/// "target_host" where they are given.
///
/// Errors: invalid_argument for an element with a line break, and for a name that is given both ways.
Result<Options> compiler_options(const CompileOptions& options);

/// `options` for a build with plugin `name` in the background: in a process of its own if the manifest asks for that, the
/// caller has left it open and there is a kmux-worker. When the process ends, that is killed.
CompileOptions background_options(const Runtime& runtime, CompileOptions options, const std::string& name);

}  // namespace kmux
