#include "measurement.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <map>
#include <string_view>
#include <tuple>

#include "kmux/plugin/word_list.h"
#include "kmux/tune.h"

#include "artifact/tier_build.h"
#include "base/duration_text.h"
#include "base/text_table.h"
#include "cache/artifact_cache.h"

namespace kmux {
namespace {

using Values = std::map<std::string, std::int64_t, std::less<>>;

Error no_sample(const std::string& param, const std::string& why) {
  return make_error(ErrorCode::kUnsupported, "a call cannot be measured (parameter \"" + param + "\" " + why +
                                                 "). Choose the backend with policy priority, or name it.");
}

Result<std::vector<std::int64_t>> evaluate_all(const std::vector<Expr>& exprs, const Values& values) {
  std::vector<std::int64_t> numbers;
  for (const Expr& expr : exprs) {
    KMUX_ASSIGN(const std::int64_t number, evaluate(expr, [&](std::string_view name) -> std::optional<std::int64_t> {
                  const auto found = values.find(name);
                  return found == values.end() ? std::nullopt : std::optional(found->second);
                }));
    numbers.push_back(number);
  }
  return numbers;
}

Result<SampleTensor> sample_tensor(const BufferParam& buffer, const Values& values) {
  SampleTensor tensor{buffer.dtype, {}, {}};
  KMUX_ASSIGN(tensor.shape, evaluate_all(buffer.shape, values));
  if (buffer.strides) {
    KMUX_ASSIGN(tensor.strides, evaluate_all(*buffer.strides, values));
  }
  return tensor;
}

/// Returns an integer or bool of `type` from its zero-extended bits.
std::int64_t integer_of(DType type, std::uint64_t bits) {
  const int unused = 64 - type.bits;
  if (type.code != kDLInt || unused <= 0) return static_cast<std::int64_t>(bits);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

SampleTensor sample_tensor(const DLTensor& tensor) {
  SampleTensor sample{to_dtype(tensor.dtype), {tensor.shape, tensor.shape + tensor.ndim}, {}};
  if (tensor.strides != nullptr) sample.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  return sample;
}

/// Returns the integers that a call carries: its symbols and its integer scalars.
Values values_of(const Signature& signature, const kmux_slot* slots) {
  Values values;
  const std::vector<SlotInfo> infos = slots_of(signature);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].kind == SlotKind::kSymbol) values.emplace(infos[i].name, slots[i].i64);
    if (infos[i].kind == SlotKind::kScalar && !is_float(infos[i].dtype)) {
      values.emplace(infos[i].name, integer_of(infos[i].dtype, slots[i].bits));
    }
  }
  return values;
}

std::string class_text(std::int64_t extent) {
  if (extent <= 0) return "0";
  return "2^" + std::to_string(std::bit_width(static_cast<std::uint64_t>(extent)) - 1);
}

}  // namespace

Result<CallSample> sample_of(const Signature& signature, std::span<const Arg> args) {
  if (args.size() != signature.params.size()) {
    return make_error(ErrorCode::kInvalidArgument, "to tune takes all " + std::to_string(signature.params.size()) +
                                                       " parameters, outputs included (" + std::to_string(args.size()) +
                                                       " were given). Pass them as to `launch`.");
  }
  CallSample sample;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Param& param = signature.params[i];
    if (is_pointer(param)) return no_sample(param.name, "is a raw pointer");
    const DLTensor* tensor = args[i].kind() == Arg::Kind::kTensor ? args[i].tensor() : nullptr;
    if (tensor != nullptr) {
      sample.emplace_back(sample_tensor(*tensor));
    } else {
      sample.emplace_back(args[i]);  // an invalid one is refused by the first call
    }
  }
  return sample;
}

Result<CallSample> sample_of(const Signature& signature, const kmux_slot* slots) {
  const Values values = values_of(signature, slots);
  CallSample sample;
  for (std::size_t i = 0; i < signature.params.size(); ++i) {
    const Param& param = signature.params[i];
    if (is_pointer(param)) return no_sample(param.name, "is a raw pointer");
    if (const ScalarParam* scalar = as_scalar(param)) {
      sample.emplace_back(Arg::bits(scalar->dtype, slots[i].bits));
      continue;
    }
    KMUX_ASSIGN(SampleTensor tensor, sample_tensor(*as_buffer(param), values));
    const bool is_null = slots[i].ptr == nullptr && as_buffer(param)->nullable;
    is_null ? sample.emplace_back(Arg(nullptr)) : sample.emplace_back(std::move(tensor));
  }
  return sample;
}

std::optional<CallSample> example_of(const Program& program) {
  Values values(program.metadata.symbols.begin(), program.metadata.symbols.end());
  for (const auto& [name, value] : program.metadata.scalars) values.emplace(name, static_cast<std::int64_t>(value));
  CallSample sample;
  for (const Param& param : program.signature.params) {
    if (as_buffer(param) == nullptr) {
      sample.emplace_back(Arg(nullptr));
      continue;
    }
    Result<SampleTensor> tensor = sample_tensor(*as_buffer(param), values);
    if (!tensor) return std::nullopt;
    sample.emplace_back(*std::move(tensor));
  }
  return sample;
}

std::string bucket_of(const CallSample& sample) {
  std::vector<std::string> shapes;
  for (const auto& param : sample) {
    const auto* tensor = std::get_if<SampleTensor>(&param);
    if (tensor == nullptr) continue;
    std::vector<std::string> extents;
    extents.reserve(tensor->shape.size());
    for (const std::int64_t extent : tensor->shape) extents.push_back(class_text(extent));
    shapes.push_back("[" + join(extents) + "]");
  }
  return join(shapes);
}

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

std::optional<Interval> interval_in(const Json& json, std::string_view name) {
  const Json* run = json.find(name);
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
                        .run_us = interval_in(json, "run_us"),
                        .problem = text_in(json, "problem"),
                        .ratio = interval_in(json, "ratio")};
}

/// Returns the measurement that `Tuning::to_json` wrote, or nothing for other JSON.
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
  const Json* sure = json.find("sure");  // older measurements have neither of these
  const Json* time = json.find("time_s");
  tuning.is_sure = sure != nullptr && sure->as_bool() != nullptr && *sure->as_bool();
  tuning.time_s = time == nullptr ? 0 : time->as_number().value_or(0);
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
    return std::tuple(-candidate.priority, candidate.foreign, candidate.better_fits.size(), candidate.variant,
                      std::string_view(candidate.backend));
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
  cache->flush();  // so that the next resolution finds it
}

namespace {

Json to_json_value(const TunedCandidate& candidate) {
  Json::Object object{{"backend", candidate.backend},
                      {"variant", static_cast<std::int64_t>(candidate.variant)},
                      {"target", candidate.target},
                      {"build_id", candidate.build_id}};
  if (candidate.run_us) object.emplace("run_us", to_json(*candidate.run_us));
  if (!candidate.problem.empty()) object.emplace("problem", candidate.problem);
  if (candidate.ratio) object.emplace("ratio", to_json(*candidate.ratio));
  return object;
}

std::string short_text(const char* form, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), form, value);
  return text.data();
}

/// Returns "cpu variant 2 (0.52 to 1.1 times its time)".
std::string rival_text(const TunedCandidate& rival) {
  return rival.backend + " variant " + std::to_string(rival.variant) + " (" + short_text("%.2g", rival.ratio->low) +
         " to " + short_text("%.2g", rival.ratio->high) + " times its time)";
}

}  // namespace

std::string Tuning::doubt() const {
  if (is_sure) return "";
  std::vector<std::string> rivals;
  for (const TunedCandidate& one : candidates) {
    if (one.ratio && one.ratio->low < 1) rivals.push_back(rival_text(one));
  }
  return "undecided after " + short_text("%.3g", time_s) +
         " s: " + (rivals.empty() ? "too few launches" : join(rivals) + " may be faster");
}

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
         (is_cold ? ", L2 cache cold" : "") + ", and the interval that has it with 99 %)\n" +
         (is_sure ? "" : "  " + doubt() + ". Measure longer, or on a machine that does nothing else.\n");
}

Json Tuning::to_json() const {
  Json::Array list;
  for (const TunedCandidate& candidate : candidates) list.push_back(to_json_value(candidate));
  return Json::Object{{"shapes", shapes},         {"device", device},
                      {"cold", is_cold},          {"winner", static_cast<std::int64_t>(winner)},
                      {"from_cache", from_cache}, {"candidates", std::move(list)},
                      {"sure", is_sure},          {"time_s", time_s}};
}

std::string to_text(const Interval& interval) {
  constexpr double kNanoseconds = 1000;  // of a microsecond
  return duration_text(kNanoseconds * interval.median) + " (" + duration_text(kNanoseconds * interval.low) + " to " +
         duration_text(kNanoseconds * interval.high) + ")";
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
