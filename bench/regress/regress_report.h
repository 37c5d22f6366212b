#pragma once

#include <string>
#include <vector>

#include "regress/regress_check.h"

namespace kmux::regress {

/// How the check ends. A machine without a baseline is told apart from one that passed.
enum class ExitCode { kPassed = 0, kSlower = 1, kFailed = 2, kNoBaseline = 3 };

/// 1 if a case is slower; else 3 if the baseline lacks one; else 0.
ExitCode exit_code_of(const std::vector<CaseResult>& results);

/// A line for each case with its ratio before and after, then what to do.
std::string report_text(const std::vector<CaseResult>& results);

/// There is no baseline for `machine`: which there are, and how to make one.
std::string no_baseline_text(const std::filesystem::path& folder, const MachineClass& machine);

}  // namespace kmux::regress
