#pragma once

#include "kmux/bench/bench_report.h"

#include "html_writer.h"
#include "pictures.h"

namespace kmux::bench {

/// What another tool measured: a line for each of its benchmarks and each file with it. Nothing where there is none.
void write_benchmarks(HtmlWriter& html, const BenchReport& report, const Palette& palette);

}  // namespace kmux::bench
