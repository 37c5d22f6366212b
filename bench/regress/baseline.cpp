#include "regress/baseline.h"

#include <cmath>
#include <cstdio>

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"

namespace kmux::regress {
namespace {

constexpr int kVersion = 1;

Error unusable(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "the baseline cannot be used (" + why +
                                                     "). Take the committed one, or measure it anew with --update.");
}

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

Result<std::string> text_of(const Json& object, const char* key) {
  const Json* const value = object.find(key);
  if (value != nullptr && value->as_string() != nullptr) return *value->as_string();
  return unusable("it has no text " + in_quotes(key));
}

Result<double> number_of(const Json& object, const char* key, const std::string& name) {
  const Json* const value = object.find(key);
  const std::optional<double> number = value == nullptr ? std::nullopt : value->as_number();
  if (number && std::isfinite(*number) && *number > 0) return *number;
  return unusable("a ratio of case " + in_quotes(name) + " has no positive number " + in_quotes(key));
}

Result<Interval> ratio_of(const Json& json, const std::string& name) {
  Interval ratio;
  KMUX_ASSIGN(ratio.median, number_of(json, "median", name));
  KMUX_ASSIGN(ratio.low, number_of(json, "low", name));
  KMUX_ASSIGN(ratio.high, number_of(json, "high", name));
  if (ratio.low <= ratio.median && ratio.median <= ratio.high) return ratio;
  return unusable("the median of a ratio of case " + in_quotes(name) + " lies outside its interval");
}

Result<std::vector<Interval>> ratios_of(const Json& json, const std::string& name) {
  const Json::Array* const list = json.as_array();
  if (list == nullptr || list->empty()) return unusable("case " + in_quotes(name) + " has no list of ratios");
  std::vector<Interval> ratios;
  for (const Json& entry : *list) {
    KMUX_ASSIGN(const Interval ratio, ratio_of(entry, name));
    ratios.push_back(ratio);
  }
  return ratios;
}

Status check_version(const Json& json) {
  const Json* const version = json.find("version");
  if (version != nullptr && version->as_integer() != nullptr && *version->as_integer() == kVersion) return Ok{};
  return unusable("its version is not " + std::to_string(kVersion));
}

Result<MachineClass> machine_of(const Json& json) {
  const Json* const machine = json.find("machine");
  if (machine == nullptr) return unusable("it has no member \"machine\"");
  MachineClass found;
  KMUX_ASSIGN(found.processor, text_of(*machine, "processor"));
  KMUX_ASSIGN(found.compiler, text_of(*machine, "compiler"));
  KMUX_ASSIGN(found.build_type, text_of(*machine, "build_type"));
  return found;
}

/// Writes five digits after the point: the precision of a ratio.
std::string to_json(const Interval& ratio) {
  char text[128];
  std::snprintf(text, sizeof text, R"({"median": %.5f, "low": %.5f, "high": %.5f})", ratio.median, ratio.low,
                ratio.high);
  return text;
}

std::string to_json(const std::vector<Interval>& ratios) {
  std::string text;
  for (const Interval& ratio : ratios) text.append(text.empty() ? "\n" : ",\n").append("      ").append(to_json(ratio));
  return "[" + text + "\n    ]";
}

}  // namespace

std::string Baseline::to_json() const {
  std::string text =
      "{\n  \"version\": " + std::to_string(kVersion) + ",\n  \"machine\": " +
      dump(Json::Object{
          {"processor", machine.processor}, {"compiler", machine.compiler}, {"build_type", machine.build_type}}) +
      ",\n  \"cases\": {";
  const char* separator = "\n";
  for (const auto& [name, ratios] : cases) {
    text.append(separator).append("    ").append(dump(Json(name))).append(": ").append(regress::to_json(ratios));
    separator = ",\n";
  }
  return text + "\n  }\n}\n";
}

Result<Baseline> Baseline::from_json(std::string_view text) {
  const Result<Json> json = parse_json(text);
  if (!json) return unusable(json.error().message);
  KMUX_TRY(check_version(*json));
  Baseline baseline;
  KMUX_ASSIGN(baseline.machine, machine_of(*json));
  const Json* const cases = json->find("cases");
  if (cases == nullptr || cases->as_object() == nullptr) return unusable("it has no member \"cases\"");
  for (const auto& [name, ratios] : *cases->as_object()) {
    KMUX_ASSIGN(baseline.cases[name], ratios_of(ratios, name));
  }
  return baseline;
}

Result<std::optional<Baseline>> read_baseline(const std::filesystem::path& folder, const MachineClass& machine) {
  const std::filesystem::path file = folder / machine.file_name();
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::optional<Baseline>();
  KMUX_ASSIGN(const std::string text, read_file(file));
  Result<Baseline> baseline = Baseline::from_json(text);
  if (baseline && baseline->machine != machine) {
    baseline = unusable("it is of " + in_quotes(baseline->machine.to_string()) + ", this is " +
                        in_quotes(machine.to_string()));
  }
  if (!baseline) {
    Error error = std::move(baseline).error();
    error.message = file.string() + ": " + error.message;
    return error;
  }
  return std::optional(*std::move(baseline));
}

Result<std::filesystem::path> write_baseline(const std::filesystem::path& folder, const Baseline& baseline) {
  std::filesystem::path file = folder / baseline.machine.file_name();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);  // if it cannot be created, writing reports why
  KMUX_TRY(write_file(file, baseline.to_json()));
  return file;
}

}  // namespace kmux::regress
