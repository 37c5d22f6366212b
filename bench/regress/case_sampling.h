#pragma once

#include "kmux/error.h"
#include "kmux/interval.h"

#include "regress/regress_case.h"

namespace kmux::regress {

/// The time of a case's work over that of its reference, from rounds in which both run, one right after the other.
///
/// `burden` repeats the work: with 2 it is done twice and counted once, which is a slowdown by 2.
///
/// Units: a ratio; 99 % sure that its median lies in the interval, as far as this process goes.
/// Errors: those of the bursts.
Result<Interval> sample_case(const RegressCase& regress_case, const Duel& duel, double burden = 1);

}  // namespace kmux::regress
