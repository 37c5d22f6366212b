// The one file that knows the JSON library.
#include <algorithm>
#include <cstddef>
#include <iterator>

#include <nlohmann/json.hpp>

#include "kmux/json.h"

namespace kmux {
namespace {

constexpr std::size_t kMaxDepth = 200;

// Reads characters and tells how far the parser has come, which its callbacks do not say.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** reached = nullptr;

  reference operator*() const { return *at; }
  Cursor& operator++() {
    *reached = ++at;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at == other.at; }
  bool operator!=(const Cursor& other) const { return at != other.at; }
};

// Builds a Json from the parser's events; a callback that returns false ends the parse.
class Reader {
 public:
  using number_integer_t = std::int64_t;
  using number_unsigned_t = std::uint64_t;
  using number_float_t = double;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return fail("binary data is not JSON"); }
  bool start_object(std::size_t) { return push(Json(Json::Object())); }
  bool end_object() { return pop(); }
  bool start_array(std::size_t) { return push(Json(Json::Array())); }
  bool end_array() { return pop(); }

  bool key(string_t& name) {
    if (open_.back().value.find(name) != nullptr) return fail("the key \"" + name + "\" occurs twice");
    open_.back().key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    const std::string_view text = error.what();  // "[json.exception...] parse error at line 1, column 2: why"
    std::size_t begin = text.find(": ");
    if (begin == std::string_view::npos) begin = text.find("] ");
    return fail(std::string(begin == std::string_view::npos ? text : text.substr(begin + 2)));
  }

  const std::string& problem() const { return problem_; }
  Json take() { return std::move(root_); }

 private:
  struct Open {
    Json value;
    std::string key;
  };

  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool push(Json container) {
    if (open_.size() == kMaxDepth) return fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    open_.push_back({std::move(container), {}});
    return true;
  }

  bool pop() {
    Json done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Json::Array* array = open_.back().value.as_array()) {
      array->push_back(std::move(value));
    } else {
      open_.back().value[open_.back().key] = std::move(value);
    }
    return true;
  }

  std::vector<Open> open_;
  Json root_;
  std::string problem_;
};

// The library quotes what it read, which may be long and may be no text at all.
std::string printable(std::string_view text) {
  constexpr std::size_t kMaxLength = 200;
  std::string out(text.substr(0, kMaxLength));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kMaxLength ? out + "..." : out;
}

// `offset` is one past the last character that was read.
Error error_at(std::string_view text, std::size_t offset, std::string_view problem) {
  const std::string_view before = text.substr(0, std::max<std::size_t>(offset, 1) - 1);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::size_t column = before.size() - line_begin + 1;
  return make_error(ErrorCode::kInvalidArgument, "malformed JSON at line " + std::to_string(line) + ", column " +
                                                     std::to_string(column) + " (" + printable(problem) +
                                                     "). Correct the document.");
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  // The library takes a zero byte for the end and would not look at what follows.
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) return error_at(text, zero + 1, "a zero byte");
  const char* const first = text.data();
  const char* reached = first;
  const Cursor begin{first, &reached};
  const Cursor end{first + text.size(), &reached};
  Reader reader;
  if (nlohmann::json::sax_parse(begin, end, &reader)) return reader.take();
  return error_at(text, static_cast<std::size_t>(reached - first), reader.problem());
}

}  // namespace kmux
