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

/// A backend with one variant of a program: does it take it, and why.
struct ResolutionRow {
  std::string backend;
  std::int64_t variant = 0;
  std::string dialect;
  std::string target;   // empty if it came not so far
  std::string verdict;  // "chosen", "possible", "refused"
  std::string stage;    // at which that was decided
  std::string reason;
  bool operator==(const ResolutionRow&) const = default;
};

/// Every candidate of a resolution, in its order: best first.
std::vector<ResolutionRow> rows_of(const Resolution& resolution);

/// What was measured of one column.
struct Series {
  std::vector<double> samples;
  Interval interval;
  bool operator==(const Series&) const = default;
};

/// What became of a backend in a contest.
enum class EntrantState : std::uint8_t {
  kTimed,
  kWrong,        // its results differ from the reference's: it is not timed
  kFailed,       // it cannot be compiled or launched
  kUnavailable,  // the backend refuses the program, or cannot run here
};
/// A word for each.
std::string_view to_string(EntrantState state);

/// A backend in a contest.
struct Entrant {
  std::string backend;  // as it was requested: with its options
  std::string target;
  std::string tier;
  EntrantState state = EntrantState::kTimed;
  std::string problem = {};                   // why it was not timed
  std::vector<std::string> remarks = {};      // what its columns do not mean here
  std::map<Column, Series> columns = {};
  std::map<Column, Judgement> verdicts = {};  // against the baseline's
  std::string launcher = {};
  std::string source = {};
  std::size_t variant = 0;  // of the program: the one that was compiled
  bool operator==(const Entrant&) const = default;
};

/// The judgement of two backends that were timed in the same rounds.
struct PairJudgement {
  std::string first;
  std::string second;
  Judgement judgement;  // of the time of the first over that of the second
  bool operator==(const PairJudgement&) const = default;
};

/// One program at one point of the axes, on every backend.
struct Contest {
  std::string program;
  std::string description;
  std::map<std::string, std::int64_t> point;  // values of the axes
  std::string baseline;
  std::string reference;  // whose results count as right
  std::vector<ResolutionRow> resolution = {};  // which backends take it, and why others do not
  std::map<Column, std::string> stops;  // why sampling ended
  /// Every two that were timed, each once, in the order of the entrants.
  std::map<Column, std::vector<PairJudgement>> pairs;
  double host_drift = 0;  // of the reference loop; see sampling.h
  /// By device, as its first contestant calls it: `common_drift` of its contestants' times by its events, hot or cold,
  /// whichever is larger. The host, and a device without events, have none.
  std::map<std::string, double> device_drift;
  double flops = 0;  // that the program declares for a call; 0: it does not
  double bytes = 0;
  std::vector<Entrant> entrants;
  std::string origin = {};  // the file that it was read from; empty: measured now
  std::string identity = {};  // of the program and the options that it was measured with; empty: not known
  bool operator==(const Contest&) const = default;
};

/// What a benchmark found: a machine and its contests.
struct BenchReport {
  Json machine;  // what it was measured on and with
  std::vector<Contest> contests;
  bool operator==(const BenchReport&) const = default;
};

/// The column that decides who is faster: device, hot.
inline constexpr Column kHeadline = Column::kDeviceHot;

/// As `kmux bench --json` writes it.
Json to_json(const BenchReport& report);
/// Errors: invalid_argument that describes what is wrong with the document.
Result<BenchReport> report_from_json(const Json& json);

}  // namespace kmux::bench
