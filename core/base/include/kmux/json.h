#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// A JSON value. Integers stay integers; objects are sorted by key, so that `dump` is canonical.
class Json {
 public:
  /// The elements of an array, in order.
  using Array = std::vector<Json>;
  /// The members of an object, by key.
  using Object = std::map<std::string, Json, std::less<>>;

  Json() = default;
  /// A boolean. Only bool itself is accepted, since pointers convert to bool.
  template <std::same_as<bool> T>
  Json(T value) : value_(value) {}
  /// An integer.
  Json(int value) : value_(std::int64_t{value}) {}
  /// An integer.
  Json(std::int64_t value) : value_(value) {}
  /// An integer; values above int64 become floating-point.
  Json(std::uint64_t value);
  /// A floating-point number.
  Json(double value) : value_(value) {}
  /// A string, copied up to its terminating null.
  Json(const char* value) : value_(std::string(value)) {}
  /// A string.
  Json(std::string value) : value_(std::move(value)) {}
  /// A string, copied.
  Json(std::string_view value) : value_(std::string(value)) {}
  /// An array.
  Json(Array value) : value_(std::move(value)) {}
  /// An object.
  Json(Object value) : value_(std::move(value)) {}

  /// Returns true if the value is null, as a default-constructed one is.
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  /// Returns the boolean; a null pointer for other kinds.
  const bool* as_bool() const { return std::get_if<bool>(&value_); }
  /// Returns the integer; a null pointer for other kinds, floating-point numbers included.
  const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&value_); }
  /// Returns the string; a null pointer for other kinds.
  const std::string* as_string() const { return std::get_if<std::string>(&value_); }
  /// Returns the array; a null pointer for other kinds.
  const Array* as_array() const { return std::get_if<Array>(&value_); }
  /// Returns the object; a null pointer for other kinds.
  const Object* as_object() const { return std::get_if<Object>(&value_); }
  /// Returns the array, mutable; a null pointer for other kinds.
  Array* as_array() { return std::get_if<Array>(&value_); }
  /// Returns the object, mutable; a null pointer for other kinds.
  Object* as_object() { return std::get_if<Object>(&value_); }
  /// Returns the floating-point number; a null pointer for other kinds, integers included.
  const double* as_double() const { return std::get_if<double>(&value_); }
  /// Returns the number, integer or floating-point; nothing for other kinds.
  std::optional<double> as_number() const;

  /// Returns the member `key` of an object, or a null pointer.
  const Json* find(std::string_view key) const;
  /// Returns the member `key`, inserted if missing. A value that is not an object becomes an empty object first.
  Json& operator[](std::string_view key);

  /// Returns "null", "boolean", "integer", "number", "string", "array" or "object".
  std::string_view kind() const;

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// Reads one JSON document.
///
/// Errors: invalid_argument with line and column; duplicate keys, depth above 200 and invalid UTF-8 are errors.
Result<Json> parse_json(std::string_view text);

/// Returns `value` as JSON text; `indent` 0 gives the canonical form without spaces.
std::string dump(const Json& value, int indent = 0);

/// Returns a JSON array of `items`: texts or numbers.
template <class Items>
Json json_list(const Items& items) {
  return Json::Array(items.begin(), items.end());
}

}  // namespace kmux
