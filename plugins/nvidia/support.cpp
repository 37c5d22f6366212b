#include "nvidia/support.h"

#include <algorithm>
#include <array>

#include "kmux/plugin/support.h"

#include "nvidia/arch.h"
#include "support.h"

namespace kmux::nvidia {

const std::vector<std::string>& launch_features() {
  static const auto& features = *new const std::vector<std::string>([] {
    std::vector<std::string> all(known_features().begin(), known_features().end());
    std::erase(all, "packed_values");
    return all;
  }());
  return features;
}

std::vector<MissingFeature> missing_support(const BuildRequest& request, std::string_view backend,
                                            const std::vector<std::string>& dialects) {
  const auto target = parse_arch(request.target.arch);
  const auto has_arch = [&](const std::string& wanted) {
    const auto arch = parse_arch(wanted);
    return target && arch && satisfies(*target, *arch);
  };
  auto missing = missing_of({backend, dialects, launch_features(), has_arch}, request);
  const auto lacking = missing_on_arch(request);
  missing.insert(missing.end(), lacking.begin(), lacking.end());
  return missing;
}

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
