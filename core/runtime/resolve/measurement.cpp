#include "measurement.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <tuple>

#include "kmux/tune.h"

#include "artifact/tier_build.h"
#include "base/text_table.h"
#include "cache/artifact_cache.h"

namespace kmux {
namespace {

Json identity_of(const TunedCandidate& candidate) {
  return Json::Object{{"backend", candidate.backend},
                      {"build_id", candidate.build_id},
                      {"target", candidate.target},
                      {"variant", static_cast<std::int64_t>(candidate.variant)}};
}

std::string text_in(const Json& json, std::string_view key) {
  const Json* member = json.find(key);
  return member != nullptr && member->as_string() != nullptr ? *member->as_string() : "";
}

std::optional<Interval> interval_in(const Json& json) {
  const Json* run = json.find("run_us");
  const auto number = [&](std::string_view key) -> std::optional<double> {
    const Json* member = run == nullptr ? nullptr : run->find(key);
    return member == nullptr ? std::nullopt : member->as_number();
  };
  const auto median = number("median");
  const auto low = number("low");
  const auto high = number("high");
  return median && low && high ? std::optional<Interval>({*median, *low, *high}) : std::nullopt;
}

std::optional<TunedCandidate> candidate_in(const Json& json) {
  const Json* variant = json.find("variant");
  if (variant == nullptr || variant->as_integer() == nullptr || *variant->as_integer() < 0) return std::nullopt;
  return TunedCandidate{.backend = text_in(json, "backend"),
                        .variant = static_cast<std::size_t>(*variant->as_integer()),
                        .target = text_in(json, "target"),
                        .build_id = text_in(json, "build_id"),
                        .run_us = interval_in(json),
                        .problem = text_in(json, "problem")};
}

/// What `Tuning::to_json` wrote; whatever else it is, it is not a measurement.
std::optional<Tuning> tuning_in(const Json& json) {
  const Json* winner = json.find("winner");
  const Json* candidates = json.find("candidates");
  const Json* cold = json.find("cold");
  if (winner == nullptr || winner->as_integer() == nullptr || candidates == nullptr || cold == nullptr ||
      candidates->as_array() == nullptr || cold->as_bool() == nullptr) {
    return std::nullopt;
  }
  Tuning tuning{.shapes = text_in(json, "shapes"), .device = text_in(json, "device"), .is_cold = *cold->as_bool()};
  for (const Json& item : *candidates->as_array()) {
    std::optional<TunedCandidate> candidate = candidate_in(item);
    if (!candidate) return std::nullopt;
    tuning.candidates.push_back(*std::move(candidate));
  }
  tuning.winner = static_cast<std::size_t>(*winner->as_integer());
  tuning.from_cache = true;
  if (tuning.winner >= tuning.candidates.size() || !tuning.best().run_us) return std::nullopt;
  return tuning;
}

}  // namespace

const Manifest* manifest_of(const std::vector<const Manifest*>& manifests, const std::string& backend) {
  const auto found = std::ranges::find(manifests, backend, &Manifest::name);
  return found == manifests.end() ? nullptr : *found;
}

std::vector<std::size_t> contestants(const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool could = candidates[i].verdict != Verdict::kRefused || candidates[i].stage == Stage::kBuild;
    if (could && candidates[i].reach == Purpose::kRun && manifest_of(manifests, candidates[i].backend) != nullptr)
      found.push_back(i);
  }
  std::ranges::sort(found, {}, [&](std::size_t i) {
    const Candidate& candidate = candidates[i];
    return std::tuple(-candidate.priority, candidate.variant, std::string_view(candidate.backend));
  });
  const auto memory = [&](std::size_t i) { return manifest_of(manifests, candidates[i].backend)->device_types; };
  std::erase_if(found,
                [&, first = found.empty() ? 0 : found.front()](std::size_t i) { return memory(i) != memory(first); });
  return found;
}

Json device_mark(const Json& properties) {
  Json::Object mark;
  for (const char* key : {"name", "arch", "driver_version"}) {
    if (const Json* value = properties.find(key)) mark.emplace(key, *value);
  }
  return mark;
}

std::string device_text(const Json& mark) {
  const std::string driver = text_in(mark, "driver_version");
  return text_in(mark, "name") + " (" + text_in(mark, "arch") + (driver.empty() ? "" : ", driver " + driver) + ")";
}

CacheKey measurement_key(const Contest& contest, const std::string& bucket) {
  Json::Array candidates;
  for (const TunedCandidate& candidate : contest.candidates) candidates.push_back(identity_of(candidate));
  return note_key("measurement", {{"name", "measurement"},
                                  {"program", contest.program},
                                  {"options", options_json(contest.options)},
                                  {"shapes", bucket},
                                  {"device", contest.device},
                                  {"candidates", std::move(candidates)}});
}

std::optional<Tuning> find_measurement(const ArtifactCache* cache, const CacheKey& key) {
  const std::optional<Json> note = find_note(cache, key);
  return note ? tuning_in(*note) : std::nullopt;
}

void keep_measurement(ArtifactCache* cache, const CacheKey& key, const Tuning& tuning) {
  if (cache == nullptr) return;
  store_note(cache, key, tuning.to_json(), true);
  cache->flush();  // who resolves next shall find it
}

namespace {

Json to_json_value(const TunedCandidate& candidate) {
  Json::Object object{{"backend", candidate.backend},
                      {"variant", static_cast<std::int64_t>(candidate.variant)},
                      {"target", candidate.target},
                      {"build_id", candidate.build_id}};
  if (candidate.run_us) object.emplace("run_us", to_json(*candidate.run_us));
  if (!candidate.problem.empty()) object.emplace("problem", candidate.problem);
  return object;
}

}  // namespace

std::string Tuning::explain() const {
  constexpr auto kRight = TextTable::Align::kRight;
  TextTable table({{""}, {"backend"}, {"variant", kRight}, {"target"}, {"time"}});
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const TunedCandidate& candidate = candidates[i];
    table.add({i == winner ? "*" : "", candidate.backend, std::to_string(candidate.variant), candidate.target,
               candidate.run_us ? to_text(*candidate.run_us) : candidate.problem});
  }
  const std::string from = from_cache ? "measured earlier" : "measured";
  return from + " on " + device + " for " + shapes + "\n" + table.to_string(2) + "  (* winner; median of a launch" +
         (is_cold ? ", L2 cache cold" : "") + ", and the interval that has it with 99 %)\n";
}

Json Tuning::to_json() const {
  Json::Array list;
  for (const TunedCandidate& candidate : candidates) list.push_back(to_json_value(candidate));
  return Json::Object{{"shapes", shapes},         {"device", device},
                      {"cold", is_cold},          {"winner", static_cast<std::int64_t>(winner)},
                      {"from_cache", from_cache}, {"candidates", std::move(list)}};
}

std::string to_text(const Interval& interval) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%.2f us (%.2f to %.2f)", interval.median, interval.low, interval.high);
  return text.data();
}

std::string milliseconds_text(double ms) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g ms", ms);
  return text.data();
}

Json to_json(const Interval& interval) {
  return Json::Object{{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
}

}  // namespace kmux
