#include "options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "kmux/json.h"
#include "kmux/nearest.h"
#include "kmux/words.h"

#include "constants.h"

namespace kmux::metal {
namespace {

Error bad_value(std::string_view name, const std::string& value, const std::string& allowed) {
  return make_error(ErrorCode::kInvalidArgument, "option \"" + std::string(name) + "\" cannot be \"" + value +
                                                     "\" (backend metal). Use " + allowed + ".");
}

Status set_fast_math(BuildOptions& result, const std::string& value) {
  if (value != "on" && value != "off") return bad_value("fast_math", value, R"("on" or "off")");
  result.fast_math = value == "on";
  return Ok{};
}

// "3.1" as Metal writes it: major in the upper 16 bits, minor in the lower.
Status set_language_version(BuildOptions& result, const std::string& value) {
  const char* const end = value.data() + value.size();
  unsigned short major = 0;
  unsigned short minor = 0;
  const auto first = std::from_chars(value.data(), end, major);
  const bool has_point = first.ec == std::errc() && first.ptr != end && *first.ptr == '.';
  const auto second = has_point ? std::from_chars(first.ptr + 1, end, minor) : std::from_chars_result{end, first.ec};
  if (!has_point || second.ec != std::errc() || second.ptr != end) {
    return bad_value("language_version", value, "a version such as \"3.1\"");
  }
  result.language_version = (static_cast<unsigned long>(major) << 16) + minor;
  return Ok{};
}

Status set_function_constants(BuildOptions& result, const std::string& value) {
  result.function_constants = split_lines(value);
  for (const std::string& constant : result.function_constants) KMUX_TRY(parse_constant(constant));
  return Ok{};
}

struct Option {
  std::string_view name;
  Status (*set)(BuildOptions& result, const std::string& value);
};

constexpr std::array<Option, 3> kOptions = {{
    {"fast_math", set_fast_math},
    {"function_constants", set_function_constants},
    {"language_version", set_language_version},
}};

Error unknown_option(const std::string& name, const std::string& value) {
  std::vector<std::string> known;
  known.reserve(kOptions.size());
  for (const Option& option : kOptions) known.emplace_back(option.name);
  return make_error(ErrorCode::kInvalidArgument, "option \"" + name + "\" (given as \"" + value +
                                                     "\") is not known (backend metal knows " + join(known) + ")." +
                                                     did_you_mean(name, known) + " Correct or remove it.");
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  for (const auto& [name, value] : options) {
    if (std::ranges::find(kOptions, name, &Option::name) == kOptions.end()) return unknown_option(name, value);
  }
  BuildOptions result;
  for (const Option& option : kOptions) {
    const std::string name(option.name);
    const auto given = options.find(name);
    const std::optional<std::string> value = given != options.end() ? given->second : host.option("metal." + name);
    if (value) KMUX_TRY(option.set(result, *value));
  }
  return result;
}

std::string to_json(const BuildOptions& options) {
  return dump(Json::Object{
      {"fast_math", options.fast_math},
      {"function_constants", Json::Array(options.function_constants.begin(), options.function_constants.end())},
      {"language_version", static_cast<std::int64_t>(options.language_version)}});
}

}  // namespace kmux::metal
