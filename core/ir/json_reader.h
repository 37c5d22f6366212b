#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/json.h"

#include "ir/validate/scope.h"

namespace kmux {

/// A position in a JSON document, and the list that collects all problems of the document.
///
/// Errors:   a function that does not find the requested value adds a problem and returns null or nothing.
/// Lifetime: borrows the document and the list.
class JsonReader {
 public:
  JsonReader(const Json& document, ProblemList& problems) : value_(&document), problems_(&problems) {}

  const Json& value() const { return *value_; }
  void problem(std::string message) const { problems_->add(path_, std::move(message)); }

  const Json::Object* object() const;
  const Json::Array* array() const;
  const std::string* string() const;
  const bool* boolean() const;
  const std::int64_t* integer() const;
  std::optional<double> number() const;

  /// Returns the member `key` of an object, or nothing if it is missing. Adds no problem.
  std::optional<JsonReader> find(std::string_view key) const;
  /// As `find`, but adds a problem if the member is missing.
  std::optional<JsonReader> require(std::string_view key) const;
  /// Returns the index of the first of `keys` that the object has. Adds a problem if it has none or a second one.
  std::optional<std::size_t> require_one(const std::vector<std::string>& keys) const;
  /// Adds a problem for every key that is not in `known`.
  void refuse_other_keys(const std::vector<std::string>& known) const;

  JsonReader at(std::string_view key, const Json& member) const { return {member, path_ / key, problems_}; }
  JsonReader at(std::size_t index, const Json& item) const { return {item, path_ / index, problems_}; }

  /// Adds "expected `what` (found an array)".
  void expected(std::string_view what) const;

 private:
  JsonReader(const Json& value, JsonPointer path, ProblemList* problems)
      : value_(&value), path_(std::move(path)), problems_(problems) {}

  const Json* value_;
  JsonPointer path_;
  ProblemList* problems_;
};

/// As `did_you_mean`, but returns "" for long words, whose comparison would cost more than it helps.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace kmux
