#include "html_writer.h"

#include <array>
#include <cstdio>

namespace kmux::bench {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string escaped_content(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&' || c == '<') {
      result += c == '&' ? "&amp;" : "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

HtmlWriter& HtmlWriter::open(std::string_view element, std::string_view attributes) {
  html_.append("<").append(element);
  if (!attributes.empty() && attributes.front() != ' ') html_ += ' ';
  html_.append(attributes).append(">");
  return *this;
}

HtmlWriter& HtmlWriter::close(std::string_view element) {
  html_.append("</").append(element).append(">\n");
  return *this;
}

HtmlWriter& HtmlWriter::text(std::string_view text) {
  html_ += escaped_content(text);
  return *this;
}

HtmlWriter& HtmlWriter::element(std::string_view element, std::string_view text, std::string_view attributes) {
  return open(element, attributes).text(text).close(element);
}

HtmlWriter& HtmlWriter::small(std::string_view text) { return text.empty() ? *this : element("small", text); }

HtmlWriter& HtmlWriter::raw(std::string_view html) {
  html_ += html;
  return *this;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

std::string attribute(std::string_view name, double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.1f", value);
  std::string_view text(digits.data());
  if (text.ends_with(".0")) text.remove_suffix(2);
  return attribute(name, text);
}

}  // namespace kmux::bench
