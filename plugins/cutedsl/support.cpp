#include "support.h"

#include "kmux/plugin/support.h"

#include "entries.h"
#include "nvidia/support.h"

namespace kmux::cutedsl {

std::vector<MissingFeature> missing_support(const BuildRequest& request) {
  auto missing = nvidia::missing_support(request, "cutedsl", {"cutedsl"});
  if (!missing.empty()) return missing;
  const auto entries = make_entries(request.program, request.variant);
  if (!entries && entries.error().code == ErrorCode::kUnsupported) {
    missing.push_back({"dtype", path_in_variant(request, "body/steps"), entries.error().message});
  }
  return missing;
}

}  // namespace kmux::cutedsl
