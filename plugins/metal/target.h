#pragma once

#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"

namespace kmux::metal {

/// The canonical target: "metal". What TVM writes into its targets of that kind is taken, and says nothing.
///
/// Errors: invalid_argument for another kind, an architecture or an attribute that is not known.
Result<Target> resolve_metal_target(std::string_view request);

/// What the variant requires or uses and Metal lacks.
std::vector<MissingFeature> missing_support(const BuildRequest& request);

}  // namespace kmux::metal
