#include "kmux/jit_described.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kmux/jit_named_values.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

namespace kmux::described {
namespace {

Error invalid(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

/// Returns the name of a place; the path "" is the configuration itself.
std::string place(std::string_view path) { return path.empty() ? "the configuration" : in_quotes(path); }

/// Words for values that JSON cannot represent.
constexpr std::string_view kNotANumber = "nan", kInfinity = "inf", kMinusInfinity = "-inf";

}  // namespace

Error wrong_value(std::string_view path, std::string_view wanted, const Json& given) {
  return invalid("the value of " + place(path) + " is " + dump(given) + " (" + std::string(wanted) +
                 " is wanted). Give a value of that type.");
}

Error unknown_name(std::string_view path, std::string_view name, const std::vector<std::string>& known) {
  return invalid("unknown name " + in_quotes(join_path(path, name)) + " (" + place(path) + " has " +
                 join(known, "no members") + ")." + did_you_mean(name, known) + " Correct or remove it.");
}

Error unknown_enumerator(std::string_view path, const Json& given, const std::vector<std::string>& known) {
  const std::string* name = given.as_string();
  return invalid("the value of " + place(path) + " is " + dump(given) + " (it can be " + join(known) + ")." +
                 (name ? did_you_mean(*name, known) : "") + " Give one of these names.");
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " | ") + name;
  return text;
}

std::string join_path(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
}

/// JSON's integers are limited to int64; a larger one is written as its digits.
Json integer_json(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
  return std::to_string(value);
}

Json number_json(double value) {
  if (std::isnan(value)) return kNotANumber;
  if (std::isinf(value)) return value > 0 ? kInfinity : kMinusInfinity;
  return value;
}

std::optional<std::uint64_t> unsigned_of(const Json& value) {
  if (const std::int64_t* number = value.as_integer(); number && *number >= 0) return *number;
  const std::string* digits = value.as_string();
  if (!digits) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = digits->data() + digits->size();
  const auto read = std::from_chars(digits->data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

std::optional<double> number_of(const Json& value) {
  const std::string* word = value.as_string();
  if (!word) return value.as_number();
  if (*word == kNotANumber) return std::numeric_limits<double>::quiet_NaN();
  if (*word == kInfinity) return std::numeric_limits<double>::infinity();
  if (*word == kMinusInfinity) return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

Status assign_plain(bool& target, const Json& given, std::string_view path) {
  const bool* const flag = given.as_bool();
  if (!flag) return wrong_value(path, "bool", given);
  target = *flag;
  return Ok{};
}

Status assign_plain(std::string& target, const Json& given, std::string_view path) {
  const std::string* const text = given.as_string();
  if (!text) return wrong_value(path, "string", given);
  target = *text;
  return Ok{};
}

Status assign_plain(DType& target, const Json& given, std::string_view path) {
  const std::string* const text = given.as_string();
  const Result<DType> type = parse_dtype(text ? *text : "");
  if (!type) return wrong_value(path, "dtype", given);
  target = *type;
  return Ok{};
}

}  // namespace kmux::described

namespace kmux {

Status check_named_once(const NamedValues& values) {
  for (auto value = values.begin(); value != values.end(); ++value) {
    const bool again = std::any_of(values.begin(), value, [&](const NamedValue& v) { return v.name == value->name; });
    if (!again) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "name \"" + value->name + "\" is given twice (in one list of named values). Give it once.");
  }
  return Ok{};
}

std::string to_string(const JitSignature& signature) {
  std::string text;
  for (const JitParameter& parameter : signature.parameters) {
    if (!text.empty()) text += ", ";
    text += parameter.name + ": " + parameter.type + " = " + dump(parameter.default_value);
  }
  return "(" + text + ")";
}

}  // namespace kmux
