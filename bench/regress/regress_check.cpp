#include "regress/regress_check.h"

namespace kmux::regress {
namespace {

std::vector<CaseResult> start(const Cases& cases, const Baseline& baseline) {
  std::vector<CaseResult> results;
  for (const RegressCase* const regress_case : cases) {
    const auto found = baseline.cases.find(regress_case->name);
    CaseResult& result = results.emplace_back(CaseResult{regress_case, std::nullopt});
    if (found != baseline.cases.end()) result.check.emplace(found->second, regress_case->threshold);
  }
  return results;
}

}  // namespace

Result<std::vector<CaseResult>> check_cases(const Cases& cases, const Baseline& baseline, const MeasureCase& measure) {
  std::vector<CaseResult> results = start(cases, baseline);
  for (std::size_t pass = 0; pass < CaseCheck::kMaxProcesses; ++pass) {
    for (CaseResult& result : results) {
      if (!result.check || result.check->is_decided()) continue;
      KMUX_ASSIGN(const Interval ratio, measure(*result.regress_case));
      result.check->add(ratio);
    }
  }
  return results;
}

Result<Baseline> measure_baseline(const Cases& cases, const MachineClass& machine, const MeasureCase& measure) {
  Baseline baseline{machine, {}};
  for (std::size_t pass = 0; pass < kBaselineProcesses; ++pass) {
    for (const RegressCase* const regress_case : cases) {
      KMUX_ASSIGN(const Interval ratio, measure(*regress_case));
      baseline.cases[regress_case->name].push_back(ratio);
    }
  }
  return baseline;
}

}  // namespace kmux::regress
