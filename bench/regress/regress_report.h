#pragma once

#include <string>
#include <vector>

#include "regress/regress_check.h"

namespace kmux::regress {

/// The exit code of the check. A missing baseline is distinguished from a pass.
enum class ExitCode { kPassed = 0, kSlower = 1, kFailed = 2, kNoBaseline = 3 };

/// Returns 1 if a case is slower; else 3 if the baseline lacks one; else 0.
ExitCode exit_code_of(const std::vector<CaseResult>& results);

/// Returns a line for each case with its ratio before and after, then the next steps.
std::string report_text(const std::vector<CaseResult>& results);

/// Returns the text for a missing baseline of `machine`: the existing baselines, and how to create one.
std::string no_baseline_text(const std::filesystem::path& folder, const MachineClass& machine);

}  // namespace kmux::regress
