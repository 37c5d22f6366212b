#include "options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "kmux/nearest.h"
#include "kmux/words.h"

namespace kmux::cutedsl {
namespace {

Error bad_value(std::string_view name, const std::string& value, const std::string& allowed) {
  return make_error(ErrorCode::kInvalidArgument, "option \"" + std::string(name) + "\" cannot be \"" + value +
                                                     "\" (backend cutedsl). Use " + allowed + ".");
}

Status set_switch(bool& result, std::string_view name, const std::string& value) {
  if (value != "on" && value != "off") return bad_value(name, value, R"("on" or "off")");
  result = value == "on";
  return Ok{};
}

struct Range {
  int least;
  int most;
};

Status set_number(int& result, std::string_view name, const std::string& value, Range range) {
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, result);
  if (error == std::errc() && rest == end && result >= range.least && result <= range.most) return Ok{};
  return bad_value(name, value, "a number from " + std::to_string(range.least) + " to " + std::to_string(range.most));
}

Status set_graph(BuildOptions& result, const std::string& value) { return set_switch(result.graph, "graph", value); }
Status set_line_info(BuildOptions& result, const std::string& value) {
  return set_switch(result.line_info, "line_info", value);
}
Status set_keep_python(BuildOptions& result, const std::string& value) {
  return set_switch(result.keep_python, "keep_python", value);
}
Status set_opt_level(BuildOptions& result, const std::string& value) {
  return set_number(result.opt_level, "opt_level", value, {0, 3});
}

Status set_timeout(BuildOptions& result, const std::string& value) {
  int seconds = 0;
  KMUX_TRY(set_number(seconds, "timeout_s", value, {1, 86400}));
  result.timeout = std::chrono::seconds(seconds);
  return Ok{};
}

Status set_host_compiler(BuildOptions& result, const std::string& value) {
  result.host_compiler = value;
  return Ok{};
}

Status set_include_dirs(BuildOptions& result, const std::string& value) {
  for (const std::string& folder : split_lines(value)) {
    result.include_dirs.push_back(std::filesystem::absolute(folder).lexically_normal().string());
  }
  return Ok{};
}

struct Option {
  std::string_view name;
  Status (*set)(BuildOptions& result, const std::string& value);
};

constexpr std::array<Option, 7> kOptions = {{
    {"graph", set_graph},
    {"host_compiler", set_host_compiler},
    {"include_dirs", set_include_dirs},
    {"keep_python", set_keep_python},
    {"line_info", set_line_info},
    {"opt_level", set_opt_level},
    {"timeout_s", set_timeout},
}};

Status check_names(const Options& options) {
  std::vector<std::string> names;
  names.reserve(kOptions.size());
  for (const Option& option : kOptions) names.emplace_back(option.name);
  for (const auto& [name, value] : options) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return make_error(ErrorCode::kInvalidArgument, "option \"" + name + "\" is not known (backend cutedsl knows " +
                                                       join(names) + ")." + did_you_mean(name, names) +
                                                       " Correct or remove it.");
  }
  return Ok{};
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  KMUX_TRY(check_names(options));
  BuildOptions result;
  for (const Option& option : kOptions) {
    const std::string name(option.name);
    const auto given = options.find(name);
    const auto value = given != options.end() ? std::optional(given->second) : host.option("cutedsl." + name);
    if (value) KMUX_TRY(option.set(result, *value));
  }
  return result;
}

Json to_json(const BuildOptions& options) {
  return Json::Object{{"graph", options.graph},
                      {"include_dirs", Json::Array(options.include_dirs.begin(), options.include_dirs.end())},
                      {"line_info", options.line_info},
                      {"opt_level", std::int64_t{options.opt_level}}};
}

}  // namespace kmux::cutedsl
