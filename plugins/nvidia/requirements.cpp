#include "nvidia/requirements.h"

#include <algorithm>
#include <array>

#include "nvidia/target.h"

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

bool is_met(const std::string& wanted, Arch target) {
  const auto arch = parse_arch(wanted);
  return arch && satisfies(target, *arch);
}

void add_missing_features(std::vector<MissingFeature>& missing, const BuildRequest& request, Arch target) {
  for (const UsedFeature& used : features_used(request.program, request.variant)) {
    const auto newest = std::ranges::find(kFirstArch, used.name, &Newest::feature);
    if (newest == kFirstArch.end() || target.number >= newest->first) continue;
    missing.push_back({used.name, used.path,
                       "architecture \"" + to_string(target) + "\" does not have it (sm_" +
                           std::to_string(newest->first) + " and newer ones do)"});
  }
}

}  // namespace

std::vector<MissingFeature> missing_requirements(const BuildRequest& request) {
  const std::string path = "/variants/" + std::to_string(request.variant) + "/requires";
  const auto target = parse_arch(request.target.arch);
  if (!target) return {{"arch", path + "/arch", "\"" + request.target.arch + "\" is no architecture"}};
  std::vector<MissingFeature> missing;
  const Requires& wanted = request.chosen().requirements;
  const auto met = [&](const std::string& arch) { return is_met(arch, *target); };
  if (!wanted.arch.empty() && std::ranges::none_of(wanted.arch, met)) {
    missing.push_back(
        {"arch", path + "/arch", "architecture \"" + request.target.arch + "\" is none of those the variant is for"});
  }
  for (const std::string& feature : wanted.features) {
    missing.push_back({feature, path + "/features", "backends for NVIDIA's devices name no such feature"});
  }
  add_missing_features(missing, request, *target);
  return missing;
}

}  // namespace kmux::nvidia
