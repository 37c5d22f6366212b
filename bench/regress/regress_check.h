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

/// What was found of one case; no check where the baseline does not have it.
struct CaseResult {
  const RegressCase* regress_case = nullptr;
  std::optional<CaseCheck> check;
};

/// Measures every case that the baseline has until it can be told, each case once before any a second time: what
/// disturbs the machine for a while then meets one process of each.
///
/// Errors: the first of `measure`.
Result<std::vector<CaseResult>> check_cases(const Cases& cases, const Baseline& baseline, const MeasureCase& measure);

/// Measures a new baseline of `cases`, one after the other in each pass.
///
/// Errors: the first of `measure`.
Result<Baseline> measure_baseline(const Cases& cases, const MachineClass& machine, const MeasureCase& measure);

}  // namespace kmux::regress
