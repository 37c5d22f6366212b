#include "kmux/policy.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kmux/guarded.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

constexpr std::array<std::string_view, 4> kPolicies = {"priority", "fast_start", "measured", "pinned"};
constexpr std::array<std::string_view, 2> kIsolations = {"none", "process"};

/// Returns the enumerator called `name`; `names` must be in enumerator order.
template <class Enum, std::size_t kCount>
Result<Enum> enumerator(const std::array<std::string_view, kCount>& names, std::string_view name, const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  return make_error(ErrorCode::kInvalidArgument, std::string(what) + " '" + std::string(name) +
                                                     "' is unknown (there are " + join(known) + ")." +
                                                     did_you_mean(name, known) + " Use one of them.");
}

}  // namespace

std::string_view to_string(Policy policy) { return kPolicies[static_cast<std::size_t>(policy)]; }
std::string_view to_string(Isolation isolation) { return kIsolations[static_cast<std::size_t>(isolation)]; }

Result<Policy> policy_from_string(std::string_view name) {
  return guarded([&] { return enumerator<Policy>(kPolicies, name, "policy"); });
}

Result<Isolation> isolation_from_string(std::string_view name) {
  return guarded([&] { return enumerator<Isolation>(kIsolations, name, "isolation"); });
}

}  // namespace kmux
