#pragma once

#include <vector>

#include "kmux/backend.h"

namespace kmux::nvidia {

/// What the variant asks for, in its requirements or by the features of its body, that the target's architecture lacks.
/// Looks at the IR only.
std::vector<MissingFeature> missing_requirements(const BuildRequest& request);

}  // namespace kmux::nvidia
