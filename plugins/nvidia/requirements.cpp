#include "nvidia/requirements.h"

#include <algorithm>
#include <array>

#include "kmux/plugin/support.h"

#include "nvidia/arch.h"

namespace kmux::nvidia {
namespace {

struct Newest {
  std::string_view feature;
  int first;  // the architecture that brought it
};

// Source: CUDA C++ Programming Guide, "Feature Support per Compute Capability".
constexpr std::array<Newest, 6> kFirstArch = {{{"cluster", 90},
                                               {"cooperative", 60},
                                               {"l2_window", 80},
                                               {"programmatic_serialization", 90},
                                               {"tensor_map.im2col", 90},
                                               {"tensor_map.tiled", 90}}};

}  // namespace

std::vector<MissingFeature> missing_on_arch(const BuildRequest& request) {
  const auto target = parse_arch(request.target.arch);
  if (!target) {
    return {{"arch", path_in_variant(request, "requires/arch"), "\"" + request.target.arch + "\" is no architecture"}};
  }
  std::vector<MissingFeature> missing;
  for (const UsedFeature& used : features_used(request.program, request.variant)) {
    const auto newest = std::ranges::find(kFirstArch, used.name, &Newest::feature);
    if (newest == kFirstArch.end() || target->number >= newest->first) continue;
    missing.push_back({used.name, used.path,
                       "architecture \"" + to_string(*target) + "\" does not have it (sm_" +
                           std::to_string(newest->first) + " and newer ones do)"});
  }
  return missing;
}

}  // namespace kmux::nvidia
