#pragma once

#include <string>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// The report for a terminal: for each contest who was measured, the verdicts, and the times.
std::string text_of(const BenchReport& report);

/// The report for other programs: a line for each contest, backend and column.
///
/// program, axes (as n=1024;m=3), backend, state, column, unit, median, low, high, samples, verdict, ratio, ratio_low,
/// ratio_high. Source: RFC 4180.
std::string csv_of(const BenchReport& report);

/// The report as one page that needs nothing else: no network, no other file, no script; pictures are SVG.
///
/// At its top stand how each backend fared and a line for each program. Samples are left out, and a stretch of lines that
/// several launchers or sources have stands once, so that the page stays small.
std::string html_of(const BenchReport& report);

}  // namespace kmux::bench
