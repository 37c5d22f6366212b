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

/// A place in a JSON document, and the one list to which everything that is wrong with the document goes.
///
/// Errors:   a function that does not find what it is asked for adds a problem and returns null or nothing.
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

  /// The member `key` of an object, or nothing if it is not there.
  std::optional<JsonReader> find(std::string_view key) const;
  /// As `find`, but its absence is a problem.
  std::optional<JsonReader> require(std::string_view key) const;
  /// The first of `keys` that the object has; none of them is a problem, and so is a second one.
  std::optional<std::size_t> require_one(const std::vector<std::string>& keys) const;
  /// Every key that is not in `known` is a problem.
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

/// As `did_you_mean`, and nothing for words so long that a comparison would cost more than it helps.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace kmux
