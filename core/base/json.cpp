#include "kmux/json.h"

#include <limits>

namespace kmux {

Json::Json(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    value_ = static_cast<std::int64_t>(value);
  } else {
    value_ = static_cast<double>(value);
  }
}

std::optional<double> Json::as_number() const {
  if (const std::int64_t* integer = as_integer()) return static_cast<double>(*integer);
  if (const double* number = as_double()) return *number;
  return std::nullopt;
}

const Json* Json::find(std::string_view key) const {
  const Object* object = as_object();
  if (object == nullptr) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &found->second;
}

Json& Json::operator[](std::string_view key) {
  if (as_object() == nullptr) value_ = Object();
  return as_object()->try_emplace(std::string(key)).first->second;
}

std::string_view Json::kind() const {
  constexpr std::string_view kNames[] = {"null", "boolean", "integer", "number", "string", "array", "object"};
  return kNames[value_.index()];
}

}  // namespace kmux
