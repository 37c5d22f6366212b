#pragma once

#include <string>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// The report as one page that needs nothing else: no network, no other file. Readable without a script are the tables; a
/// script draws the pictures.
///
/// Samples are left out and equal texts are kept once, so that the page stays small.
std::string html_of(const BenchReport& report);

}  // namespace kmux::bench
