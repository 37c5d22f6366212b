#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"
#include "kmux/error.h"

namespace kmux::bench {

/// A report and the file that it comes from; empty if it was measured now.
struct NamedReport {
  std::string name;
  BenchReport report;
};

/// Reads what `kmux bench --json` wrote, or a program of Google Benchmark, whose entrant is called as the file, without ".json".
///
/// Errors: those of reading the file; invalid_argument that names the file and what is wrong with it.
Result<NamedReport> load_report(const std::filesystem::path& path);

/// Several reports as one. If several have programs, a contest names its file; benchmarks of the same name and
/// arguments in several files are one contest with several entrants, without a verdict: they were not timed in the same
/// rounds. The facts of machines that differ stand under the names of their files.
BenchReport join_reports(std::vector<NamedReport> reports);

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
