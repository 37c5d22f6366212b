#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"
#include "pictures.h"

namespace kmux::bench {

/// What another tool measured: a line for each of its benchmarks and each file with it. Nothing where there is none.
void write_benchmarks(HtmlWriter& html, const BenchReport& report, const Palette& palette);

/// The name of a benchmark of Google Benchmark, in parts: "copy/n:64/8/real_time" is of family "copy", at n = 64, arg1 = 8.
struct BenchmarkName {
  std::string family;
  std::map<std::string, std::int64_t> point;
};

/// What says how it was measured, not what ("min_time:0.5", "repeats:3", "real_time", ...), is left out; "threads:4" stays.
BenchmarkName read_benchmark_name(std::string_view name);

}  // namespace kmux::bench
