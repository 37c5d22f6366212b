#include "kmux/tune.h"

#include "base/text_table.h"
#include "interval_text.h"

namespace kmux {
namespace {

Json to_json_value(const TunedCandidate& candidate) {
  Json::Object object{{"backend", candidate.backend},
                      {"variant", static_cast<std::int64_t>(candidate.variant)},
                      {"target", candidate.target},
                      {"build_id", candidate.build_id}};
  if (candidate.run_us) object.emplace("run_us", to_json(*candidate.run_us));
  if (!candidate.problem.empty()) object.emplace("problem", candidate.problem);
  return object;
}

}  // namespace

std::string Tuning::explain() const {
  constexpr auto kRight = TextTable::Align::kRight;
  TextTable table({{""}, {"backend"}, {"variant", kRight}, {"target"}, {"time"}});
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const TunedCandidate& candidate = candidates[i];
    table.add({i == winner ? "*" : "", candidate.backend, std::to_string(candidate.variant), candidate.target,
               candidate.run_us ? to_text(*candidate.run_us) : candidate.problem});
  }
  const std::string from = from_cache ? "measured earlier" : "measured";
  return from + " on " + device + " for " + shapes + "\n" + table.to_string(2) + "  (* winner; median of a launch" +
         (is_cold ? ", L2 cache cold" : "") + ", and the interval that has it with 99 %)\n";
}

Json Tuning::to_json() const {
  Json::Array list;
  for (const TunedCandidate& candidate : candidates) list.push_back(to_json_value(candidate));
  return Json::Object{{"shapes", shapes},         {"device", device},
                      {"cold", is_cold},          {"winner", static_cast<std::int64_t>(winner)},
                      {"from_cache", from_cache}, {"candidates", std::move(list)}};
}

}  // namespace kmux
