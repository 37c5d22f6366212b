#pragma once

#include <string>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// The report as one page that needs nothing else: no network, no other file, no script; pictures are SVG.
///
/// At its top stand how each backend fared and a line for each program. Samples are left out, and a stretch of lines that
/// several launchers or sources have stands once, so that the page stays small.
std::string html_of(const BenchReport& report);

}  // namespace kmux::bench
