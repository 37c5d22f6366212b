#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"
#include "kmux/error.h"

namespace kmux::bench {

/// A report and its file; an empty name if it was measured now.
struct NamedReport {
  std::string name;
  BenchReport report;
};

/// Reads a file of `kmux bench --json`, or of a Google Benchmark program, whose entrant is named after the file,
/// without ".json".
///
/// Errors: those of reading the file; invalid_argument that names the file and describes its fault.
Result<NamedReport> load_report(const std::filesystem::path& path);

/// Joins several reports. If several have programs, each contest names its file. Benchmarks of the same name and
/// arguments in several files become one contest with several entrants, without a verdict: they were not timed in the
/// same rounds. The runs of all are listed. Facts of different machines are listed under the names of their files.
BenchReport join_reports(std::vector<NamedReport> reports);

/// Returns the report for a terminal: for each contest the backends, the verdicts and the times.
std::string text_of(const BenchReport& report);

/// Returns the report for other programs: a line for each contest, backend and column. Columns:
///
/// program, axes (as n=1024;m=3), backend, state, column, unit, median, low, high, samples, verdict, ratio, ratio_low,
/// ratio_high. Source: RFC 4180.
std::string csv_of(const BenchReport& report);

/// Returns the report as one self-contained page: no network, no other file, no script; pictures are SVG.
///
/// It begins with the results of each backend and a line for each program. Samples are omitted, and lines shared by
/// several launchers or sources are written once, so that the page stays small.
std::string html_of(const BenchReport& report);

}  // namespace kmux::bench
