#include "json_reader.h"

#include <algorithm>

#include "kmux/plugin/quoting.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

std::string with_article(std::string_view kind) {
  if (kind == "null") return "null";
  const bool vowel = kind.starts_with('a') || kind.starts_with('i') || kind.starts_with('o');
  return std::string(vowel ? "an " : "a ") + std::string(kind);
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestWord = 64;
  return word.size() > kLongestWord ? "" : did_you_mean(word, known);
}

void JsonReader::expected(std::string_view what) const {
  problem("expected " + std::string(what) + " (found " + with_article(value_->kind()) + "). Correct the value.");
}

const Json::Object* JsonReader::object() const {
  if (value_->as_object() == nullptr) expected("an object");
  return value_->as_object();
}

const Json::Array* JsonReader::array() const {
  if (value_->as_array() == nullptr) expected("an array");
  return value_->as_array();
}

const std::string* JsonReader::string() const {
  if (value_->as_string() == nullptr) expected("a string");
  return value_->as_string();
}

const bool* JsonReader::boolean() const {
  if (value_->as_bool() == nullptr) expected("true or false");
  return value_->as_bool();
}

const std::int64_t* JsonReader::integer() const {
  if (value_->as_integer() == nullptr) expected("an integer of 64 bits");
  return value_->as_integer();
}

std::optional<double> JsonReader::number() const {
  if (!value_->as_number()) expected("a number");
  return value_->as_number();
}

std::optional<JsonReader> JsonReader::find(std::string_view key) const {
  const Json* member = value_->find(key);
  if (member == nullptr) return std::nullopt;
  return at(key, *member);
}

std::optional<JsonReader> JsonReader::require(std::string_view key) const {
  std::optional<JsonReader> member = find(key);
  if (!member) problem("missing key " + in_double_quotes(key) + ". Add it.");
  return member;
}

std::optional<std::size_t> JsonReader::require_one(const std::vector<std::string>& keys) const {
  const auto has = [this](const std::string& key) { return value_->find(key) != nullptr; };
  const auto first = std::ranges::find_if(keys, has);
  if (first == keys.end()) {
    problem("the kind is missing (one of " + listed(keys) + "). Add one.");
    return std::nullopt;
  }
  const auto second = std::find_if(first + 1, keys.end(), has);
  if (second != keys.end())
    problem("both " + in_double_quotes(*first) + " and " + in_double_quotes(*second) + ". Keep one of them.");
  return static_cast<std::size_t>(first - keys.begin());
}

void JsonReader::refuse_other_keys(const std::vector<std::string>& known) const {
  for (const auto& [key, member] : *value_->as_object()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    const std::string meant = suggestion(key, known);
    const std::string advice = meant.empty() ? " Remove it, or read the program with a newer kmux." : meant;
    problem("unknown key " + in_double_quotes(key) + " (known here: " + listed(known) + ")." + advice);
  }
}

}  // namespace kmux
