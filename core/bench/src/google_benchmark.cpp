#include "kmux/bench/google_benchmark.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "kmux/bench/figure.h"

#include "contestant.h"
#include "page_sections.h"

namespace kmux::bench {
namespace {

/// Members of a benchmark that are not counters of its author.
constexpr std::array<std::string_view, 10> kOwnNumbers = {"family_index",     "per_family_instance_index",
                                                          "repetitions",      "repetition_index",
                                                          "threads",          "iterations",
                                                          "real_time",        "cpu_time",
                                                          "bytes_per_second", "items_per_second"};

/// A benchmark with all its repetitions.
struct Runs {
  std::vector<const Json*> iterations;
  std::map<std::string, const Json*> aggregates;  // by name
  /// Returns the source of its numbers: the repetitions, else the median of unwritten ones, else their mean.
  std::vector<const Json*> of_numbers() const {
    if (!iterations.empty()) return iterations;
    for (const char* name : {"median", "mean"}) {
      if (const auto found = aggregates.find(name); found != aggregates.end()) return {found->second};
    }
    return {};
  }
};

Error bad(const std::string& problem) {
  return make_error(
      ErrorCode::kInvalidArgument,
      "this is not a result of Google Benchmark (" + problem +
          "). Give what a benchmark program wrote with --benchmark_out=FILE --benchmark_out_format=json.");
}

std::string text_of(const Json& json, std::string_view key) {
  const Json* const value = json.find(key);
  return value == nullptr || value->as_string() == nullptr ? "" : *value->as_string();
}

std::optional<double> number_of(const Json& json, std::string_view key) {
  const Json* const value = json.find(key);
  return value == nullptr ? std::nullopt : value->as_number();
}

/// Returns the microseconds in a unit of time, or nothing.
std::optional<double> microseconds_in(const std::string& unit) {
  if (unit == "ns") return 1e-3;
  if (unit == "us") return 1;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  return std::nullopt;
}

/// Returns a number of each repetition; repetitions without it are skipped.
std::vector<double> numbers_of(const std::vector<const Json*>& runs, std::string_view key, double factor) {
  std::vector<double> numbers;
  for (const Json* run : runs) {
    if (const auto value = number_of(*run, key)) numbers.push_back(factor * *value);
  }
  return numbers;
}

void note_counters(Entrant& entrant, const Json& run) {
  for (const auto& [key, value] : *run.as_object()) {
    const auto number = value.as_number();
    if (number && std::ranges::find(kOwnNumbers, key) == kOwnNumbers.end()) {
      entrant.remarks.push_back("counter " + key + " is " + dump(Json(*number)));
    }
  }
}

/// Adds the remarks on a benchmark besides its columns.
void note_remarks(Entrant& entrant, const std::vector<const Json*>& runs, double unit, bool is_aggregate) {
  const std::vector<double> processor = numbers_of(runs, "cpu_time", unit);
  if (!processor.empty()) {
    entrant.remarks.push_back("an iteration takes " + figure(Column::kHostCall, median_interval(processor).median) +
                              " of a processor's time");
  }
  if (entrant.columns.contains(Column::kThroughput)) entrant.remarks.emplace_back("its items stand as calls");
  if (is_aggregate) entrant.remarks.emplace_back("its repetitions were not written: there is no interval");
  if (const std::string label = text_of(*runs.front(), "label"); !label.empty()) entrant.remarks.push_back(label);
  note_counters(entrant, *runs.front());
}

void fail(Entrant& entrant, const Json& run) {
  entrant.state = EntrantState::kFailed;
  entrant.problem = text_of(run, "error_message");
}

bool has_failed(const Json& run) {
  const Json* const occurred = run.find("error_occurred");
  return occurred != nullptr && occurred->as_bool() != nullptr && *occurred->as_bool();
}

Result<Entrant> read_entrant(const std::string& name, const std::string& program, const Runs& runs) {
  Entrant entrant{.backend = name, .target = {}, .tier = {}};
  const auto failed = std::ranges::find_if(runs.iterations, [](const Json* run) { return has_failed(*run); });
  if (failed != runs.iterations.end()) {
    fail(entrant, **failed);
    return entrant;
  }
  const std::vector<const Json*> numbers = runs.of_numbers();
  const std::optional<double> unit = microseconds_in(text_of(*numbers.front(), "time_unit"));
  if (!unit) return bad("benchmark \"" + program + R"(" has no "time_unit" of ns, us, ms or s)");
  std::vector<double> times = numbers_of(numbers, "real_time", *unit);
  if (times.size() != numbers.size()) return bad("benchmark \"" + program + R"(" has no "real_time")");
  set_column(entrant, Column::kHostCall, std::move(times));
  set_column(entrant, Column::kBytesRate, numbers_of(numbers, "bytes_per_second", 1e-9));
  set_column(entrant, Column::kThroughput, numbers_of(numbers, "items_per_second", 1));
  note_remarks(entrant, numbers, *unit, runs.iterations.empty());
  return entrant;
}

/// Returns the machine without its name and without the folder of the program.
Json machine_of(const Json& context) {
  Json::Object machine = *context.as_object();
  machine.erase("host_name");
  if (const std::string path = text_of(context, "executable"); !path.empty()) {
    machine["executable"] = std::filesystem::path(path).filename().string();
  }
  return machine;
}

/// Returns the benchmarks in order, each with all its entries.
Result<std::vector<std::pair<std::string, Runs>>> runs_of(const Json::Array& benchmarks) {
  std::vector<std::pair<std::string, Runs>> all;
  for (const Json& run : benchmarks) {
    const std::string name = text_of(run, run.find("run_name") != nullptr ? "run_name" : "name");
    if (name.empty()) return bad("a benchmark has no \"name\"");
    const bool is_aggregate = text_of(run, "run_type") == "aggregate";
    const std::string aggregate = text_of(run, "aggregate_name");
    if (is_aggregate && (aggregate == "BigO" || aggregate == "RMS")) continue;  // of a family, not of a benchmark
    auto found = std::ranges::find(all, name, &std::pair<std::string, Runs>::first);
    if (found == all.end()) found = all.insert(all.end(), {name, {}});
    if (is_aggregate) {
      found->second.aggregates.emplace(aggregate, &run);
    } else {
      found->second.iterations.push_back(&run);
    }
  }
  return all;
}

}  // namespace

bool is_google_benchmark(const Json& json) {
  return json.find("benchmarks") != nullptr && json.find("context") != nullptr;
}

Result<BenchReport> report_from_google_benchmark(const Json& json, const std::string& name) {
  const Json* const context = json.find("context");
  const Json* const benchmarks = json.find("benchmarks");
  if (context == nullptr || context->as_object() == nullptr) return bad("\"context\" is not an object");
  if (benchmarks == nullptr || benchmarks->as_array() == nullptr) return bad("\"benchmarks\" is not a list");
  BenchReport report{machine_of(*context), {}};
  KMUX_ASSIGN(const auto all, runs_of(*benchmarks->as_array()));
  for (const auto& [full_name, runs] : all) {
    if (runs.of_numbers().empty()) return bad("benchmark \"" + full_name + "\" has neither repetitions nor a median");
    BenchmarkName parts = read_benchmark_name(full_name);
    KMUX_ASSIGN(Entrant entrant, read_entrant(name, full_name, runs));
    Contest contest;
    contest.program = std::move(parts.family);
    contest.point = std::move(parts.point);
    contest.entrants.push_back(std::move(entrant));
    report.contests.push_back(std::move(contest));
  }
  return report;
}

}  // namespace kmux::bench
