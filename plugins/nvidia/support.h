#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"

namespace kmux::nvidia {

/// The features of the launch layer: all but Metal's, by name.
const std::vector<std::string>& launch_features();

/// All that `backend`, which takes `dialects`, lacks for the request: its dialect, a feature, or what the target's architecture does not have.
/// Looks at the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request, std::string_view backend,
                                            const std::vector<std::string>& dialects = {"cuda", "cubin", "ptx"});

/// The features of the variant's body that the target's architecture lacks. Looks at the IR only.
std::vector<MissingFeature> missing_on_arch(const BuildRequest& request);

}  // namespace kmux::nvidia
