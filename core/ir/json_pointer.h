#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kmux {

/// A place in a JSON document: `JsonPointer() / "variants" / 0` is "/variants/0".
///
/// Source: RFC 6901.
class JsonPointer {
 public:
  JsonPointer operator/(std::string_view key) const {
    std::string text = text_ + "/";
    for (const char byte : key) {
      if (byte == '~')
        text += "~0";
      else if (byte == '/')
        text += "~1";
      else
        text += byte;
    }
    return JsonPointer(std::move(text));
  }
  JsonPointer operator/(std::size_t index) const { return JsonPointer(text_ + "/" + std::to_string(index)); }
  const std::string& text() const { return text_; }

  JsonPointer() = default;

 private:
  explicit JsonPointer(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace kmux
