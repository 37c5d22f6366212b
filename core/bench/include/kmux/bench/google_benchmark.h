#pragma once

#include <string>

#include "kmux/bench/bench_report.h"
#include "kmux/error.h"
#include "kmux/json.h"

namespace kmux::bench {

/// Does the document look like one that a program of Google Benchmark wrote?
bool is_google_benchmark(const Json& json);

/// What a program of Google Benchmark measured (--benchmark_format=json, --benchmark_out), as a report.
///
/// A benchmark with one set of arguments is a contest without a baseline, with one entrant that is called `name`. Numbers in
/// the benchmark's name are its point: "copy/n:64/8" is at n = 64 and arg1 = 8. Repetitions are samples of *host, a call*,
/// which is the real time of an iteration; bytes_per_second and items_per_second are *bytes a second* and *throughput*. The
/// processor's time, labels and all other counters are remarks. Of a benchmark that has aggregates alone the median is taken,
/// which has no interval. The context is the machine, without its name.
///
/// Errors: invalid_argument that describes what is wrong with the document.
/// Source: the user guide of Google Benchmark 1.7, "Output Formats", "Custom Counters".
Result<BenchReport> report_from_google_benchmark(const Json& json, const std::string& name);

}  // namespace kmux::bench
