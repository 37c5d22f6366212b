#pragma once

#include <map>
#include <string>

#include "kmux/error.h"
#include "kmux/interval.h"

#include "regress/regress_case.h"

namespace kmux::regress {

/// How often the work of a case is repeated, by its name: what tests the check itself.
using Burdens = std::map<std::string, double>;

/// Measures a case in a process of its own: this program, told "--measure NAME".
///
/// Errors: unavailable with what the process wrote.
Result<Interval> measure_in_process(const RegressCase& regress_case, const Burdens& burdens);

/// What that process does: measures, and prints what `measure_in_process` reads.
Status measure_here(const RegressCase& regress_case, const Burdens& burdens);

}  // namespace kmux::regress
