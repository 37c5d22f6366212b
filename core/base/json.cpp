#include "kmux/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "kmux/guarded.h"

#include "base/json_text.h"

// The only file that includes the JSON library.

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

namespace {

// Writes a value; `indent` 0 writes no whitespace.
class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& value) {
    if (value.is_null()) text_ += "null";
    if (const bool* boolean = value.as_bool()) text_ += *boolean ? "true" : "false";
    if (const std::int64_t* integer = value.as_integer()) text_ += std::to_string(*integer);
    if (const double* number = value.as_double()) write_double(*number);
    if (const std::string* string = value.as_string()) write_string(*string);
    if (const Json::Array* array = value.as_array()) write_array(*array);
    if (const Json::Object* object = value.as_object()) write_object(*object);
  }

  std::string take() { return std::move(text_); }

 private:
  void write_double(double number) {
    if (!std::isfinite(number)) {
      text_ += "null";  // JSON has no spelling for it
      return;
    }
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    text_ += digits;
    if (digits.find_first_of(".e") == std::string_view::npos) text_ += ".0";  // stays a number when read again
  }

  void write_string(std::string_view string) {
    text_ += '"';
    while (!string.empty()) {
      const auto plain = static_cast<std::size_t>(std::ranges::find_if(string, is_escaped) - string.begin());
      text_ += string.substr(0, plain);
      if (plain == string.size()) break;
      write_escaped(string[plain]);
      string.remove_prefix(plain + 1);
    }
    text_ += '"';
  }

  static bool is_escaped(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

  void write_escaped(char c) {
    constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t found = kPlain.find(c); found != std::string_view::npos) {
      text_.append("\\").append(1, kLetters[found]);
    } else {
      text_.append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
  }

  void write_array(const Json::Array& array) {
    text_ += '[';
    ++depth_;
    for (const Json& item : array) {
      begin_item(&item == array.data());
      write(item);
    }
    end_items(']', array.empty());
  }

  void write_object(const Json::Object& object) {
    text_ += '{';
    ++depth_;
    bool first = true;
    for (const auto& [key, value] : object) {
      begin_item(std::exchange(first, false));
      write_string(key);
      text_ += indent_ == 0 ? ":" : ": ";
      write(value);
    }
    end_items('}', object.empty());
  }

  void begin_item(bool first) {
    if (!first) text_ += ',';
    break_line();
  }

  void end_items(char close, bool empty) {
    --depth_;
    if (!empty) break_line();
    text_ += close;
  }

  void break_line() {
    if (indent_ > 0)
      text_.append("\n").append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
  }

  std::string text_;
  int indent_;
  int depth_ = 0;
};

}  // namespace

std::string dump(const Json& value, int indent) {
  Writer writer(indent);
  writer.write(value);
  return writer.take();
}

namespace {

constexpr std::size_t kMaxDepth = 200;

// Iterates over characters and records the position of the parser, which its callbacks do not report.
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
  bool start_object(std::size_t) { return open(Json(Json::Object())); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Json(Json::Array())); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    const auto [member, is_new] = open_.back()->as_object()->try_emplace(std::move(name));
    member_ = &member->second;
    return is_new || fail("the key \"" + member->first + "\" occurs twice");
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
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool open(Json container) {
    if (open_.size() == kMaxDepth) return fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    open_.push_back(&(next() = std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  bool add(Json value) {
    next() = std::move(value);
    return true;
  }

  // Returns the place of the next value. Pointers to open containers stay valid: no sibling is added before they close.
  Json& next() {
    if (open_.empty()) return root_;
    Json::Array* const array = open_.back()->as_array();
    return array == nullptr ? *member_ : array->emplace_back();
  }

  std::vector<Json*> open_;
  Json* member_ = nullptr;  // of the open object: the value of the last key
  Json root_;
  std::string problem_;
};

// Limits a message of the library, which quotes its input: that may be long or binary.
std::string printable(std::string_view text) {
  constexpr std::size_t kMaxLength = 200;
  std::string out(text.substr(0, kMaxLength));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kMaxLength ? out + "..." : out;
}

// Returns the error for `text`; `offset` is one past the last character that was read.
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

Result<Json> read_json(std::string_view text) {
  // The library treats a zero byte as the end and would ignore the rest.
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

Result<Json> parse_json(std::string_view text) {
  return guarded([&] { return read_json(text); });
}

}  // namespace kmux
