#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kmux/error.h"
#include "kmux/json.h"

namespace kmux {

/// A JSON value. Integers stay integers; objects are sorted by key, so that `dump` is canonical.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() = default;
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::uint64_t value);  // values above int64 become floating-point
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  const bool* as_bool() const { return std::get_if<bool>(&value_); }
  const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&value_); }
  const std::string* as_string() const { return std::get_if<std::string>(&value_); }
  const Array* as_array() const { return std::get_if<Array>(&value_); }
  const Object* as_object() const { return std::get_if<Object>(&value_); }
  Array* as_array() { return std::get_if<Array>(&value_); }
  Object* as_object() { return std::get_if<Object>(&value_); }
  /// The number, integer or not; nothing for other kinds.
  const double* as_double() const { return std::get_if<double>(&value_); }
  std::optional<double> as_number() const;

  /// The member `key` of an object, or null (the pointer).
  const Json* find(std::string_view key) const;
  /// The member `key`, made if missing. Makes an object of a null value.
  Json& operator[](std::string_view key);

  /// "null", "boolean", "integer", "number", "string", "array" or "object".
  std::string_view kind() const;

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// Reads one JSON document.
///
/// Errors: invalid_argument with line and column; duplicate keys, depth above 200 and invalid UTF-8 are errors.
Result<Json> parse_json(std::string_view text);

/// JSON text; `indent` 0 gives the canonical form without spaces.
std::string dump(const Json& value, int indent = 0);

/// The list of `items`: texts or numbers.
template <class Items>
Json json_list(const Items& items) {
  return Json::Array(items.begin(), items.end());
}

}  // namespace kmux
