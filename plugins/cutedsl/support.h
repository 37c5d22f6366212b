#pragma once

#include <vector>

#include "kmux/plugin/backend.h"

namespace kmux::cutedsl {

/// All that the backend lacks for the request: its dialect, a feature, an element type that a kernel takes, or what the
/// target's architecture does not have. Looks at the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request);

}  // namespace kmux::cutedsl
