#pragma once

#include <map>
#include <string>

#include "kmux/error.h"
#include "kmux/interval.h"

#include "regress/regress_case.h"

namespace kmux::regress {

/// The number of repetitions of a case's work, by its name: tests the check itself.
using Burdens = std::map<std::string, double>;

/// Measures a case in a separate process: this program, run with "--measure NAME".
///
/// Errors: unavailable with the output of the process.
Result<Interval> measure_in_process(const RegressCase& regress_case, const Burdens& burdens);

/// Runs in that process: measures, and prints the result that `measure_in_process` reads.
Status measure_here(const RegressCase& regress_case, const Burdens& burdens);

}  // namespace kmux::regress
