#pragma once

#include "kmux/compile.h"

namespace kmux {

/// Validates, resolves, wraps and builds `program`; `purpose` says whether a device will be needed afterwards.
///
/// Errors: as the public `build`.
Result<BuildResult> build_for(Purpose purpose, Runtime& runtime, const Program& program, const CompileOptions& options);

}  // namespace kmux
