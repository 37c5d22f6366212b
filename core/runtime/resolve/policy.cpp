#include "policy.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "kmux/plugin/nearest.h"
#include "kmux/plugin/words.h"

namespace kmux {
namespace {

const std::vector<std::string>& names() {
  static const auto& kNames = *new const std::vector<std::string>{"priority", "fast_start", "measured", "pinned"};
  return kNames;
}

}  // namespace

std::string_view to_string(Policy policy) { return names()[static_cast<std::size_t>(policy)]; }

Result<Policy> policy_of(const std::string& asked, const Environment& environment) {
  const std::string& name = asked.empty() ? environment.policy : asked;
  const auto found = std::ranges::find(names(), name);
  if (found != names().end()) return static_cast<Policy>(std::distance(names().begin(), found));
  return make_error(ErrorCode::kInvalidArgument, "policy '" + name + "' is unknown (there are " + join(names()) + ")." +
                                                     did_you_mean(name, names()) + " Use one of them.");
}

}  // namespace kmux
