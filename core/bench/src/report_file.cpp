#include "kmux/bench/report_file.h"

#include <algorithm>
#include <utility>

#include "kmux/bench/google_benchmark.h"

#include "contest_section.h"
#include "toolchain/named_file.h"

namespace kmux::bench {
namespace {

Contest* find_alike(std::vector<Contest>& contests, const Contest& contest) {
  if (is_of_program(contest)) return nullptr;
  const auto found = std::ranges::find_if(contests, [&](const Contest& other) {
    return !is_of_program(other) && other.program == contest.program && other.point == contest.point;
  });
  return found == contests.end() ? nullptr : &*found;
}

bool has_programs(const NamedReport& one) { return std::ranges::any_of(one.report.contests, is_of_program); }

void add(BenchReport& all, Contest contest, const std::string& origin) {
  if (Contest* const alike = find_alike(all.contests, contest)) {
    std::ranges::move(contest.entrants, std::back_inserter(alike->entrants));
    return;
  }
  if (is_of_program(contest) && contest.origin.empty()) contest.origin = origin;
  all.contests.push_back(std::move(contest));
}

Json machines_of(const std::vector<NamedReport>& reports) {
  const Json& first = reports.front().report.machine;
  if (std::ranges::all_of(reports, [&](const NamedReport& one) { return one.report.machine == first; })) return first;
  Json::Object machines;
  for (const NamedReport& one : reports) machines[one.name.empty() ? "here" : one.name] = one.report.machine;
  return machines;
}

Result<BenchReport> read_report(const Json& json, const std::filesystem::path& path) {
  if (!is_google_benchmark(json)) return report_from_json(json);
  std::filesystem::path name = path;
  if (name.extension() == ".json") name.replace_extension();
  return report_from_google_benchmark(json, name.string());
}

}  // namespace

Result<NamedReport> load_report(const std::filesystem::path& path) {
  KMUX_ASSIGN(const std::string text, read_named_file(path));
  const auto in_file = [&](Error error) {
    error.message = "\"" + path.string() + "\": " + error.message;
    return error;
  };
  const Result<Json> json = parse_json(text);
  if (!json) return in_file(json.error());
  Result<BenchReport> report = read_report(*json, path);
  if (!report) return in_file(report.error());
  return NamedReport{path.string(), std::move(*report)};
}

BenchReport join_reports(std::vector<NamedReport> reports) {
  if (reports.empty()) return {};
  if (reports.size() == 1) return std::move(reports.front().report);
  BenchReport all{machines_of(reports), {}};
  const bool has_several = std::ranges::count_if(reports, has_programs) > 1;
  for (NamedReport& one : reports) {
    for (Contest& contest : one.report.contests) add(all, std::move(contest), has_several ? one.name : "");
  }
  return all;
}

}  // namespace kmux::bench
