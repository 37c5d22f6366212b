#include "nvidia/support.h"

#include <algorithm>

#include "kmux/words.h"

#include "nvidia/requirements.h"

namespace kmux::nvidia {

const std::vector<std::string>& launch_features() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> all(known_features().begin(), known_features().end());
    std::erase(all, "packed_values");
    return all;
  }();
  return features;
}

std::vector<MissingFeature> missing_support(const BuildRequest& request, std::string_view backend,
                                            const std::vector<std::string>& dialects) {
  auto missing = missing_features(request.program, request.variant, launch_features(), backend);
  const std::string& dialect = request.chosen().dialect;
  if (std::ranges::find(dialects, dialect) == dialects.end()) {
    missing.push_back(
        {"dialect", "/variants/" + std::to_string(request.variant) + "/dialect",
         "backend " + std::string(backend) + " takes dialects " + join(dialects) + ", not \"" + dialect + "\""});
  }
  const auto requirements = missing_requirements(request);
  missing.insert(missing.end(), requirements.begin(), requirements.end());
  return missing;
}

}  // namespace kmux::nvidia
