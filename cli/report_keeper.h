#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kmux/bench/bench_report.h"
#include "kmux/bench/report_file.h"

#include "command.h"

namespace kmux::cli {

/// The files of `kmux bench`, written while it measures: who is stopped, killed or fails has what was measured before.
class ReportKeeper {
 public:
  /// `beside` stands in every file, after what is measured.
  ReportKeeper(const po::variables_map& arguments, std::vector<bench::NamedReport> beside);

  /// Takes what there is by now, and writes it unless writing would take more than a twentieth of the time.
  void keep(const bench::BenchReport& so_far);
  /// Takes what there is in the end.
  void take(bench::BenchReport report) { measured_ = std::move(report); }
  /// Writes what was taken last.
  ///
  /// Errors: those of writing.
  Status write();
  /// What was taken last, and what is beside it.
  bench::BenchReport report() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string json_;  // paths; empty: none
  std::string csv_;
  std::string html_;
  std::vector<bench::NamedReport> beside_;
  std::optional<bench::BenchReport> measured_ = {};
  Clock::time_point next_ = {};
};

}  // namespace kmux::cli
