#pragma once

#include <vector>

#include "kmux/plugin/backend.h"

namespace kmux::nvidia {

/// The features of the variant's body that the target's architecture lacks. Looks at the IR only.
std::vector<MissingFeature> missing_on_arch(const BuildRequest& request);

}  // namespace kmux::nvidia
