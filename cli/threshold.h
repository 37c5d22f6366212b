#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"
#include "kmux/error.h"

namespace kmux::cli {

/// What `kmux bench` fails for: "slower:5%", "wrong", "failed".
struct Threshold {
  enum class Kind { kSlower, kWrong, kFailed };
  Kind kind = Kind::kSlower;
  double part = 0;  // 0.05 of 5 %
};

/// Errors: invalid_argument that shows the forms.
Result<std::vector<Threshold>> read_thresholds(const std::vector<std::string>& texts);

/// A sentence for each breach. Slower is what surely is: the whole interval of the ratio lies above the threshold.
std::vector<std::string> breaches_of(const bench::BenchReport& report, const std::vector<Threshold>& thresholds);

}  // namespace kmux::cli
