// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kmux/compile.h"
#include "kmux/plugin/file_identity.h"

#include "artifact/choice.h"

namespace kmux {

class ArtifactCache;
class BackendHistory;

/// A build, and the time at which the state of its headers was captured, see CacheEntry.
struct DatedBuild {
  BuildResult result;
  FileTime began = 0;
};

/// Returns the best tier of `choice` if `cache` (which may be null) has it, else builds the first one. Builds the best
/// one for code that cannot be replaced. Notes the time of a compilation in `history`, to be kept if `keeps_times`.
///
/// Errors: those of the backend.
Result<DatedBuild> build_candidate(Choice choice, ArtifactCache* cache, BackendHistory& history, bool keeps_times);

/// Returns the build that `build_candidate` would find in `cache`, or nothing. Does not query the remote tier.
std::optional<DatedBuild> find_candidate(const Choice& choice, ArtifactCache* cache);

/// Returns the launcher of the first tier.
///
/// Errors: those of the backend.
Result<WrapResult> wrap_candidate(const Choice& choice);

}  // namespace kmux
