#pragma once

#include "kmux/compile.h"
#include "kmux/plugin/file_identity.h"

namespace kmux {

/// A build, and the time with which the state of its headers is captured, see CacheEntry.
struct DatedBuild {
  BuildResult result;
  FileTime began = 0;
};

/// Validates, resolves, wraps and builds `program`; `purpose` says whether a device will be needed afterwards.
///
/// Errors: as the public `build`.
Result<DatedBuild> build_for(Purpose purpose, Runtime& runtime, const Program& program, const CompileOptions& options);

/// Is what was chosen the policy's choice, and neither the caller's nor the lock file's?
bool is_auto(const Resolution& resolution);

/// Remembers that `candidate`, which nobody asked for by name, failed: `auto` keeps away from it for a time.
void note_failure(Runtime& runtime, const Program& program, const Candidate& candidate, const Error& error);

}  // namespace kmux
