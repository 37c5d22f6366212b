#include "kmux/bench/bench_report.h"

#include <algorithm>
#include <array>
#include <map>

namespace kmux::bench {
namespace {

constexpr std::array<std::string_view, 4> kStates = {"timed", "wrong", "failed", "unavailable"};
constexpr std::array<Verdict, 4> kVerdicts = {Verdict::kSame, Verdict::kFaster, Verdict::kSlower, Verdict::kAmbiguous};
constexpr std::int64_t kVersion = 1;

Json json_of(const Interval& interval) {
  return Json::Object{{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
}

Json json_of(const Series& series) {
  Json json = json_of(series.interval);
  json["samples"] = Json::Array(series.samples.begin(), series.samples.end());
  return json;
}

Json json_of(const Judgement& judgement) {
  Json json = json_of(judgement.ratio);
  json["verdict"] = to_string(judgement.verdict);
  json["rounds"] = static_cast<std::int64_t>(judgement.rounds);
  return json;
}

Json json_of(const PairJudgement& pair) {
  Json json = json_of(pair.judgement);
  json["first"] = pair.first;
  json["second"] = pair.second;
  return json;
}

Json json_of(const std::map<Column, std::vector<PairJudgement>>& pairs) {
  Json::Object columns;
  for (const auto& [column, judgements] : pairs) {
    Json::Array list;
    for (const PairJudgement& pair : judgements) list.push_back(json_of(pair));
    columns.emplace(info(column).name, std::move(list));
  }
  return columns;
}

Json json_of(const Entrant& entrant) {
  Json::Object columns;
  for (const auto& [column, series] : entrant.columns) columns.emplace(info(column).name, json_of(series));
  Json::Object verdicts;
  for (const auto& [column, judgement] : entrant.verdicts) verdicts.emplace(info(column).name, json_of(judgement));
  return Json::Object{{"backend", entrant.backend},
                      {"target", entrant.target},
                      {"tier", entrant.tier},
                      {"state", to_string(entrant.state)},
                      {"problem", entrant.problem},
                      {"remarks", Json::Array(entrant.remarks.begin(), entrant.remarks.end())},
                      {"columns", std::move(columns)},
                      {"verdicts", std::move(verdicts)},
                      {"launcher", entrant.launcher},
                      {"source", entrant.source},
                      {"variant", static_cast<std::int64_t>(entrant.variant)}};
}

Json json_of(const ResolutionRow& row) {
  return Json::Object{{"backend", row.backend}, {"variant", row.variant}, {"dialect", row.dialect},
                      {"target", row.target},   {"verdict", row.verdict}, {"stage", row.stage},
                      {"reason", row.reason}};
}

Json json_of(const Contest& contest) {
  Json::Object point(contest.point.begin(), contest.point.end());
  Json::Object stops;
  for (const auto& [column, stop] : contest.stops) stops.emplace(info(column).name, stop);
  Json::Object device_drift(contest.device_drift.begin(), contest.device_drift.end());
  Json::Array resolution;
  for (const ResolutionRow& row : contest.resolution) resolution.push_back(json_of(row));
  Json::Array entrants;
  for (const Entrant& entrant : contest.entrants) entrants.push_back(json_of(entrant));
  return Json::Object{{"program", contest.program},       {"description", contest.description},
                      {"point", std::move(point)},        {"baseline", contest.baseline},
                      {"reference", contest.reference},   {"resolution", std::move(resolution)},
                      {"stops", std::move(stops)},        {"pairs", json_of(contest.pairs)},
                      {"host_drift", contest.host_drift}, {"device_drift", std::move(device_drift)},
                      {"flops", contest.flops},           {"bytes", contest.bytes},
                      {"entrants", std::move(entrants)},  {"origin", contest.origin},
                      {"identity", contest.identity},     {"label", contest.label}};
}

// ---- reading ----

/// Reads required members of a document. Continues after the first missing one, and fails at the end.
class Reader {
 public:
  explicit Reader(std::string& problem) : problem_(problem) {}

  const Json& member(const Json& object, std::string_view key) {
    static const Json none;
    const Json* const found = object.find(key);
    if (found == nullptr && problem_.empty()) problem_ = "\"" + std::string(key) + "\" is missing";
    return found == nullptr ? none : *found;
  }
  std::string text(const Json& object, std::string_view key) {
    const std::string* value = member(object, key).as_string();
    return value == nullptr ? wrong<std::string>(key) : *value;
  }
  double number(const Json& object, std::string_view key) {
    const auto value = member(object, key).as_number();
    return value ? *value : wrong<double>(key);
  }
  const Json::Array& list(const Json& object, std::string_view key) {
    static const Json::Array none;
    const Json::Array* value = member(object, key).as_array();
    if (value == nullptr) note_wrong(key);
    return value == nullptr ? none : *value;
  }
  const Json::Object& object(const Json& parent, std::string_view key) {
    static const Json::Object none;
    const Json::Object* value = member(parent, key).as_object();
    if (value == nullptr) note_wrong(key);
    return value == nullptr ? none : *value;
  }
  /// Returns the index of a word in `words`.
  template <class Words>
  std::size_t word(const Json& parent, std::string_view key, const Words& words) {
    const std::string value = text(parent, key);
    const auto found = std::ranges::find(words, value);
    if (found == words.end()) return wrong<std::size_t>(key);
    return static_cast<std::size_t>(found - words.begin());
  }
  std::optional<Column> column(const std::string& name) {
    const std::optional<Column> known = column_named(name);
    if (!known && problem_.empty()) problem_ = "there is no column \"" + name + "\"";
    return known;
  }

 private:
  void note_wrong(std::string_view key) {
    if (problem_.empty()) problem_ = "\"" + std::string(key) + "\" is of another kind";
  }
  template <class T>
  T wrong(std::string_view key) {
    note_wrong(key);
    return {};
  }
  std::string& problem_;
};

Interval read_interval(Reader& reader, const Json& json) {
  return {reader.number(json, "median"), reader.number(json, "low"), reader.number(json, "high")};
}

Series read_series(Reader& reader, const Json& json) {
  Series series{{}, read_interval(reader, json)};
  for (const Json& sample : reader.list(json, "samples")) series.samples.push_back(sample.as_number().value_or(0));
  return series;
}

Judgement read_judgement(Reader& reader, const Json& json) {
  std::array<std::string_view, 4> words;
  std::ranges::transform(kVerdicts, words.begin(), [](Verdict verdict) { return to_string(verdict); });
  return {kVerdicts[reader.word(json, "verdict", words)], read_interval(reader, json),
          static_cast<std::size_t>(reader.number(json, "rounds"))};
}

std::map<Column, std::vector<PairJudgement>> read_pairs(Reader& reader, const Json& contest) {
  std::map<Column, std::vector<PairJudgement>> pairs;
  for (const auto& [name, _] : reader.object(contest, "pairs")) {
    const auto column = reader.column(name);
    if (!column) continue;
    for (const Json& pair : reader.list(*contest.find("pairs"), name)) {
      pairs[*column].push_back({reader.text(pair, "first"), reader.text(pair, "second"), read_judgement(reader, pair)});
    }
  }
  return pairs;
}

Entrant read_entrant(Reader& reader, const Json& json) {
  Entrant entrant{.backend = reader.text(json, "backend"),
                  .target = reader.text(json, "target"),
                  .tier = reader.text(json, "tier"),
                  .state = static_cast<EntrantState>(reader.word(json, "state", kStates)),
                  .problem = reader.text(json, "problem"),
                  .launcher = reader.text(json, "launcher"),
                  .source = reader.text(json, "source")};
  if (const Json* variant = json.find("variant"); variant != nullptr && variant->as_integer() != nullptr) {
    entrant.variant = static_cast<std::size_t>(*variant->as_integer());  // not in older reports
  }
  for (const Json& remark : reader.list(json, "remarks")) {
    if (remark.as_string() != nullptr) entrant.remarks.push_back(*remark.as_string());
  }
  for (const auto& [name, series] : reader.object(json, "columns")) {
    if (const auto column = reader.column(name)) entrant.columns[*column] = read_series(reader, series);
  }
  for (const auto& [name, judgement] : reader.object(json, "verdicts")) {
    if (const auto column = reader.column(name)) entrant.verdicts[*column] = read_judgement(reader, judgement);
  }
  return entrant;
}

ResolutionRow read_row(Reader& reader, const Json& json) {
  return {reader.text(json, "backend"), static_cast<std::int64_t>(reader.number(json, "variant")),
          reader.text(json, "dialect"), reader.text(json, "target"),
          reader.text(json, "verdict"), reader.text(json, "stage"),
          reader.text(json, "reason")};
}

Contest read_contest(Reader& reader, const Json& json) {
  Contest contest{.program = reader.text(json, "program"),
                  .description = reader.text(json, "description"),
                  .point = {},
                  .baseline = reader.text(json, "baseline"),
                  .reference = reader.text(json, "reference"),
                  .stops = {},
                  .pairs = read_pairs(reader, json),
                  .host_drift = reader.number(json, "host_drift"),
                  .device_drift = {},
                  .flops = reader.number(json, "flops"),
                  .bytes = reader.number(json, "bytes"),
                  .entrants = {},
                  .origin = reader.text(json, "origin")};
  if (json.find("identity") != nullptr) contest.identity = reader.text(json, "identity");  // not in older reports
  if (json.find("label") != nullptr) contest.label = reader.text(json, "label");           // nor this
  for (const Json& row : reader.list(json, "resolution")) contest.resolution.push_back(read_row(reader, row));
  for (const auto& [name, value] : reader.object(json, "point")) {
    if (value.as_integer() != nullptr) contest.point[name] = *value.as_integer();
  }
  for (const auto& [name, stop] : reader.object(json, "stops")) {
    const auto column = reader.column(name);
    if (column && stop.as_string() != nullptr) contest.stops[*column] = *stop.as_string();
  }
  for (const auto& [name, drift] : reader.object(json, "device_drift")) {
    contest.device_drift[name] = drift.as_number().value_or(0);
  }
  for (const Json& entrant : reader.list(json, "entrants")) contest.entrants.push_back(read_entrant(reader, entrant));
  return contest;
}

}  // namespace

std::vector<ResolutionRow> rows_of(const Resolution& resolution) {
  std::vector<ResolutionRow> rows;
  rows.reserve(resolution.candidates.size());
  for (const Candidate& candidate : resolution.candidates) {
    rows.push_back({candidate.backend, static_cast<std::int64_t>(candidate.variant), candidate.dialect,
                    candidate.target, std::string(to_string(candidate.verdict)),
                    std::string(to_string(candidate.stage)), candidate.reason});
  }
  return rows;
}

std::string program_text(const Contest& contest) {
  return contest.label.empty() ? contest.program : contest.program + " (" + contest.label + ")";
}

std::string_view to_string(EntrantState state) { return kStates[static_cast<std::size_t>(state)]; }

Json to_json(const BenchReport& report) {
  Json::Array contests;
  for (const Contest& contest : report.contests) contests.push_back(json_of(contest));
  Json::Array runs;
  for (const BenchRecord& run : report.runs)
    runs.emplace_back(Json::Object{{"date", run.date}, {"command", run.command}});
  return Json::Object{{"kmux_bench", kVersion},
                      {"machine", report.machine},
                      {"contests", std::move(contests)},
                      {"runs", std::move(runs)}};
}

Result<BenchReport> report_from_json(const Json& json) {
  std::string problem;
  Reader reader(problem);
  BenchReport report;
  const double version = reader.number(json, "kmux_bench");
  if (problem.empty() && version != static_cast<double>(kVersion)) problem = "it is of another version";
  report.machine = reader.member(json, "machine");
  for (const Json& contest : reader.list(json, "contests")) report.contests.push_back(read_contest(reader, contest));
  if (json.find("runs") != nullptr) {  // not in older reports
    for (const Json& run : reader.list(json, "runs"))
      report.runs.push_back({reader.text(run, "date"), reader.text(run, "command")});
  }
  if (problem.empty()) return report;
  return make_error(ErrorCode::kInvalidArgument,
                    "this is not a report of kmux bench (" + problem + "). Give what `kmux bench --json` wrote.");
}

}  // namespace kmux::bench
