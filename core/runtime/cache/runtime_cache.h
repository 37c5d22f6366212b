#pragma once

#include <memory>

#include "kmux/environment.h"
#include "kmux/error.h"

namespace kmux {

class ArtifactCache;

/// Opens the disk cache that `environment` describes; null if it is disabled or there is no folder for it.
///
/// Errors: those of the folder; invalid_argument for a size that is no number of bytes.
Result<std::shared_ptr<ArtifactCache>> open_cache(const Environment& environment);

/// As `open_cache`; without a usable folder there is no cache, and the log says why.
std::shared_ptr<ArtifactCache> open_cache_or_warn(const Environment& environment);

}  // namespace kmux
