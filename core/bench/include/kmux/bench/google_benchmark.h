#pragma once

#include <string>

#include "kmux/bench/bench_report.h"
#include "kmux/error.h"
#include "kmux/json.h"

namespace kmux::bench {

/// Returns true if the document looks like the output of a Google Benchmark program.
bool is_google_benchmark(const Json& json);

/// Returns the results of a Google Benchmark program (--benchmark_format=json, --benchmark_out) as a report.
///
/// A benchmark with one set of arguments becomes a contest without a baseline, with one entrant, called `name`. Numbers
/// in the benchmark's name are its point: "copy/n:64/8" is at n = 64 and arg1 = 8. Repetitions are samples of *host, a
/// call*, the real time of an iteration. bytes_per_second and items_per_second are *bytes a second* and *throughput*.
/// The processor's time, labels and all other counters are remarks. A benchmark with only aggregates gives its median
/// (else its mean), without an interval. The context is the machine, without its name.
///
/// Errors: invalid_argument that describes the fault of the document.
/// Source: the user guide of Google Benchmark 1.7, "Output Formats", "Custom Counters".
Result<BenchReport> report_from_google_benchmark(const Json& json, const std::string& name);

}  // namespace kmux::bench
