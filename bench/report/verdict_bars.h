#pragma once

namespace kmux::bench {

/// Of 200 pairs of a backend with itself, the part that is called different.
///
/// Units: a part of 1.
double verdict_false_alarm();

/// Of 200 pairs of a backend with itself, in which each time of the second is made 5 % longer, the part that is called slower:
/// the noise is this machine's own.
///
/// Units: a part of 1.
double verdict_detects_5pct();

}  // namespace kmux::bench
