#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "kmux/json.h"

namespace kmux {
namespace {

// Writes a value; `indent` 0 writes no blanks at all.
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
    for (const char c : string) write_character(c);
    text_ += '"';
  }

  void write_character(char c) {
    constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t found = kPlain.find(c); found != std::string_view::npos) {
      text_.append("\\").append(1, kLetters[found]);
    } else if (byte < 0x20) {
      text_.append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    } else {
      text_ += c;
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

}  // namespace kmux
