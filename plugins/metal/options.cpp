#include "options.h"

#include <charconv>

#include "kmux/json.h"
#include "kmux/option_readers.h"

#include "constants.h"

namespace kmux::metal {
namespace {

// "3.1" as Metal writes it: major in the upper 16 bits, minor in the lower.
Status read_version(unsigned long& result, const OptionValue& value) {
  const char* const end = value.text.data() + value.text.size();
  unsigned short major = 0;
  unsigned short minor = 0;
  const auto first = std::from_chars(value.text.data(), end, major);
  const bool has_point = first.ec == std::errc() && first.ptr != end && *first.ptr == '.';
  const auto second = has_point ? std::from_chars(first.ptr + 1, end, minor) : std::from_chars_result{end, first.ec};
  if (!has_point || second.ec != std::errc() || second.ptr != end) {
    return bad_value(value, "a version such as \"3.1\"");
  }
  result = (static_cast<unsigned long>(major) << 16) + minor;
  return Ok{};
}

Status check_constants(const std::vector<std::string>& constants) {
  for (const std::string& constant : constants) KMUX_TRY(parse_constant(constant));
  return Ok{};
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  BuildOptions result;
  const OptionReaders readers = {
      {"fast_math", on_or_off(result.fast_math)},
      {"function_constants", lines(result.function_constants, check_constants)},
      {"language_version", [&](const OptionValue& value) { return read_version(result.language_version, value); }},
  };
  KMUX_TRY(read_options("metal", options, host, readers));
  return result;
}

std::string to_json(const BuildOptions& options) {
  return dump(Json::Object{
      {"fast_math", options.fast_math},
      {"function_constants", Json::Array(options.function_constants.begin(), options.function_constants.end())},
      {"language_version", static_cast<std::int64_t>(options.language_version)}});
}

}  // namespace kmux::metal
