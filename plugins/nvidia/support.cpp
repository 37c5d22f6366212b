#include "nvidia/support.h"

#include "kmux/plugin/support.h"

#include "nvidia/arch.h"
#include "nvidia/requirements.h"

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

}  // namespace kmux::nvidia
