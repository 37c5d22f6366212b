#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "regress/baseline.h"
#include "regress/case_check.h"
#include "regress/regress_case.h"

namespace kmux::regress {

using Cases = std::vector<const RegressCase*>;

/// Measures a case in one more process.
using MeasureCase = std::function<Result<Interval>(const RegressCase& regress_case)>;

/// The result of one case; no check if the baseline lacks the case.
struct CaseResult {
  const RegressCase* regress_case = nullptr;
  std::optional<CaseCheck> check;
};

/// Measures every case of the baseline until its finding is certain, each case once before any a second time. A
/// temporary disturbance of the machine then affects one process of each.
///
/// Errors: the first of `measure`.
Result<std::vector<CaseResult>> check_cases(const Cases& cases, const Baseline& baseline, const MeasureCase& measure);

/// Measures a new baseline of `cases`, one after the other in each pass.
///
/// Errors: the first of `measure`.
Result<Baseline> measure_baseline(const Cases& cases, const MachineClass& machine, const MeasureCase& measure);

}  // namespace kmux::regress
