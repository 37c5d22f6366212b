#pragma once

#include "kmux/error.h"
#include "kmux/interval.h"

#include "regress/regress_case.h"

namespace kmux::regress {

/// Returns the time of a case's work over that of its reference, from rounds in which both run consecutively.
///
/// `burden` repeats the work: with 2 it is executed twice and counted once, a slowdown by 2.
///
/// Units: a ratio; the interval contains its median with 99 % confidence, within this process.
/// Errors: those of the bursts.
Result<Interval> sample_case(const RegressCase& regress_case, const Duel& duel, double burden = 1);

}  // namespace kmux::regress
