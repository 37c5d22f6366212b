#include "nvidia/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "kmux/json.h"
#include "kmux/nearest.h"
#include "kmux/words.h"

#include "nvidia/flags.h"

namespace kmux::nvidia {
namespace {

// An option as it is read: for messages, who reads it.
struct Given {
  std::string_view name;
  const std::string& value;
  std::string_view backend;
};

Error bad_value(const Given& given, const std::string& allowed) {
  return make_error(ErrorCode::kInvalidArgument, "option \"" + std::string(given.name) + "\" cannot be \"" +
                                                     given.value + "\" (backend " + std::string(given.backend) +
                                                     "). Use " + allowed + ".");
}

Status set_switch(bool& result, const Given& given) {
  if (given.value != "on" && given.value != "off") return bad_value(given, R"("on" or "off")");
  result = given.value == "on";
  return Ok{};
}

Status set_fast_math(BuildOptions& result, const Given& given) { return set_switch(result.fast_math, given); }
Status set_line_info(BuildOptions& result, const Given& given) { return set_switch(result.line_info, given); }
Status set_graph(BuildOptions& result, const Given& given) { return set_switch(result.graph, given); }

Status set_tier(BuildOptions& result, const Given& given) {
  if (given.value != "fast" && given.value != "full") return bad_value(given, R"("fast" or "full")");
  result.tier = given.value == "fast" ? Tier::kFast : Tier::kFull;
  return Ok{};
}

// 255 is the most that an instruction can address.
Status set_max_registers(BuildOptions& result, const Given& given) {
  const char* const end = given.value.data() + given.value.size();
  const auto [rest, error] = std::from_chars(given.value.data(), end, result.max_registers);
  const bool is_number = error == std::errc() && rest == end;
  if (!is_number || result.max_registers < 16 || result.max_registers > 255) {
    return bad_value(given, "a number from 16 to 255");
  }
  return Ok{};
}

Status set_host_compiler(BuildOptions& result, const Given& given) {
  result.host_compiler = given.value;
  return Ok{};
}

Status set_compile_flags(BuildOptions& result, const Given& given) {
  result.compile_flags = split_lines(given.value);
  return check_flags(result.compile_flags, given.backend);
}

Status set_include_dirs(BuildOptions& result, const Given& given) {
  for (const std::string& folder : split_lines(given.value)) {
    result.include_dirs.push_back(std::filesystem::absolute(folder).lexically_normal().string());
  }
  return Ok{};
}

struct Option {
  std::string_view name;
  Status (*set)(BuildOptions& result, const Given& given);
  std::string_view only_backend = {};
};

constexpr std::array<Option, 8> kOptions = {{
    {"compile_flags", set_compile_flags},
    {"fast_math", set_fast_math},
    {"graph", set_graph},
    {"host_compiler", set_host_compiler, "cuda"},
    {"include_dirs", set_include_dirs},
    {"line_info", set_line_info},
    {"max_registers", set_max_registers},
    {"tier", set_tier},
}};

std::vector<Option> options_of(std::string_view backend) {
  std::vector<Option> known;
  std::ranges::copy_if(kOptions, std::back_inserter(known), [&](const Option& option) {
    return option.only_backend.empty() || option.only_backend == backend;
  });
  return known;
}

Status check_names(const Options& options, const std::vector<Option>& known, std::string_view backend) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const Option& option : known) names.emplace_back(option.name);
  for (const auto& [name, value] : options) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return make_error(ErrorCode::kInvalidArgument, "option \"" + name + "\" is not known (backend " +
                                                       std::string(backend) + " knows " + join(names) + ")." +
                                                       did_you_mean(name, names) + " Correct or remove it.");
  }
  return Ok{};
}

Json list(const std::vector<std::string>& texts) { return Json::Array(texts.begin(), texts.end()); }

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host, std::string_view backend) {
  const std::vector<Option> known = options_of(backend);
  KMUX_TRY(check_names(options, known, backend));
  BuildOptions result;
  for (const Option& option : known) {
    const auto given = options.find(std::string(option.name));
    const std::optional<std::string> value =
        given != options.end() ? given->second : host.option(std::string(backend) + "." + std::string(option.name));
    if (value) KMUX_TRY(option.set(result, Given{option.name, *value, backend}));
  }
  return result;
}

std::string to_json(const BuildOptions& options) {
  return dump(Json::Object{{"compile_flags", list(options.compile_flags)},
                           {"fast_math", options.fast_math},
                           {"graph", options.graph},
                           {"host_compiler", options.host_compiler},
                           {"include_dirs", list(options.include_dirs)},
                           {"line_info", options.line_info},
                           {"max_registers", std::int64_t{options.max_registers}},
                           {"tier", options.tier == Tier::kFast ? "fast" : "full"}});
}

}  // namespace kmux::nvidia
