#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"
#include "kmux/error.h"

#include "command.h"

namespace kmux::cli {

/// The integer that --`name` gives, or `otherwise` where it is not given.
///
/// Errors: invalid_argument for one below `least` or above `most`.
template <class Integer>
Result<Integer> integer_option(const po::variables_map& arguments, const std::string& name, Integer otherwise,
                               Integer least, Integer most);

/// The number that --`name` gives, or `otherwise` where it is not given.
///
/// Errors: invalid_argument for one below 0 or above `most`, for infinity and for nan.
Result<double> number_option(const po::variables_map& arguments, const std::string& name, double otherwise,
                             double most);

/// As `number_option`, for what results may differ by.
Result<double> tolerance_option(const po::variables_map& arguments, const std::string& name, double otherwise);

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
