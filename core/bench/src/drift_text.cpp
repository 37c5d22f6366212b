#include "drift_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "kmux/bench/drift.h"
#include "kmux/plugin/words.h"

namespace kmux::bench {
namespace {

std::string percent(double part) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * part);
  return text.data();
}

}  // namespace

std::string drift_text(const Contest& contest) {
  std::vector<std::string> drifts;
  if (std::abs(contest.host_drift) > kDriftToTell) drifts.push_back("the host's by " + percent(contest.host_drift));
  for (const auto& [device, drift] : contest.device_drift) {
    if (std::abs(drift) > kDriftToTell) drifts.push_back(device + "'s by " + percent(drift));
  }
  if (drifts.empty()) return "";
  return "clocks drifted meanwhile, " + join(drifts) + ": ratios hold, times are less sure than they look";
}

}  // namespace kmux::bench
