#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kmux/bench/figure.h"
#include "kmux/bench/verdict.h"
#include "kmux/error.h"
#include "kmux/interval.h"
#include "kmux/json.h"
#include "kmux/resolver.h"

namespace kmux::bench {

/// The resolution of one backend and variant of a program: the verdict and its reason.
struct ResolutionRow {
  std::string backend;
  std::int64_t variant = 0;
  std::string dialect;
  std::string target;   // empty if resolution ended before it
  std::string verdict;  // "chosen", "possible", "refused"
  std::string stage;    // that decided
  std::string reason;
  bool operator==(const ResolutionRow&) const = default;
};

/// Returns every candidate of a resolution, in its order: best first.
std::vector<ResolutionRow> rows_of(const Resolution& resolution);

/// The measurements of one column.
struct Series {
  std::vector<double> samples;
  Interval interval;
  bool operator==(const Series&) const = default;
};

/// The outcome of a backend in a contest.
enum class EntrantState : std::uint8_t {
  kTimed,
  kWrong,        // its results differ from the reference's: not timed
  kFailed,       // compilation or launch failed
  kUnavailable,  // the backend rejects the program, or cannot run here
};
/// Returns a word for each.
std::string_view to_string(EntrantState state);

/// A backend in a contest.
struct Entrant {
  std::string backend;  // as requested, with its options
  std::string target;
  std::string tier;
  EntrantState state = EntrantState::kTimed;
  std::string problem = {};                   // the reason if not timed
  std::vector<std::string> remarks = {};      // limitations of its columns
  std::map<Column, Series> columns = {};
  std::map<Column, Judgement> verdicts = {};  // against the baseline
  std::string launcher = {};
  std::string source = {};
  std::size_t variant = 0;  // the compiled variant of the program
  bool operator==(const Entrant&) const = default;
};

/// The judgement of two backends timed in the same rounds.
struct PairJudgement {
  std::string first;
  std::string second;
  Judgement judgement;  // time of the first over time of the second
  bool operator==(const PairJudgement&) const = default;
};

/// One program at one point of the axes, on every backend.
struct Contest {
  std::string program;
  std::string description;
  std::map<std::string, std::int64_t> point;  // values of the axes
  std::string baseline;
  std::string reference;  // its results are taken as correct
  std::vector<ResolutionRow> resolution = {};  // which backends support it, and the reasons
  std::map<Column, std::string> stops;  // reasons for the end of sampling
  /// Each pair of timed entrants, once, in the order of the entrants.
  std::map<Column, std::vector<PairJudgement>> pairs;
  double host_drift = 0;  // of the reference loop; see sampling.h
  /// Drift by device, named as its first contestant names it: `common_drift` of its contestants' event times, hot or
  /// cold, whichever is larger. The host and devices without events have none.
  std::map<std::string, double> device_drift;
  double flops = 0;  // declared by the program for a call; 0: undeclared
  double bytes = 0;
  std::vector<Entrant> entrants;
  std::string origin = {};  // the file it was read from; empty: measured now
  std::string identity = {};  // of the program and the measurement options; empty: unknown
  std::string label = {};  // a file or a number if several programs of the run have its name; else empty
  bool operator==(const Contest&) const = default;
};

/// Returns the program's name, with the label if it has one: "gemm", "gemm (tiled.kmux)".
std::string program_text(const Contest& contest);

/// A run that measured contests of a report.
struct BenchRecord {
  std::string date;  // of its begin, in UTC: "2026-11-30 04:16"
  std::string command;  // as a shell takes it; empty: not of the command
  bool operator==(const BenchRecord&) const = default;
};

/// The result of a benchmark: a machine and its contests.
struct BenchReport {
  Json machine;  // the machine and software used
  std::vector<Contest> contests;
  std::vector<BenchRecord> runs = {};  // none in a report of an older kmux or of another tool
  bool operator==(const BenchReport&) const = default;
};

/// The column that decides the verdict: device, hot.
inline constexpr Column kHeadline = Column::kDeviceHot;

/// Returns the document that `kmux bench --json` writes.
Json to_json(const BenchReport& report);
/// Errors: invalid_argument that describes the fault of the document.
Result<BenchReport> report_from_json(const Json& json);

}  // namespace kmux::bench
