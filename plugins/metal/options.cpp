#include "options.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "kmux/json.h"
#include "kmux/plugin/option_readers.h"

#include "constants.h"

namespace kmux::metal {
namespace {

bool read_part(std::string_view text, unsigned short& part) {
  const char* const begin = text.data();
  const auto [rest, error] = std::from_chars(begin, begin + text.size(), part);
  return error == std::errc() && rest == begin + text.size();
}

// Parses "3.1" to Metal's number: major in the upper 16 bits, minor in the lower.
Status read_version(unsigned long& result, const OptionValue& value) {
  const std::size_t point = std::min(value.text.find('.'), value.text.size());
  const std::string_view minor_text = value.text.substr(std::min(point + 1, value.text.size()));
  unsigned short major = 0;
  unsigned short minor = 0;
  if (!read_part(value.text.substr(0, point), major) || !read_part(minor_text, minor)) {
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
  return dump(Json::Object{{"fast_math", options.fast_math},
                           {"function_constants", json_list(options.function_constants)},
                           {"language_version", static_cast<std::int64_t>(options.language_version)}});
}

}  // namespace kmux::metal
