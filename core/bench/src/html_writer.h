#pragma once

#include <string>
#include <string_view>

namespace kmux::bench {

/// Returns `text` escaped for elements and attributes: no character of it is markup.
std::string escaped(std::string_view text);
/// Same for elements only, where quotes and ">" need no escape: pages of C++ are a tenth smaller.
std::string escaped_content(std::string_view text);

/// Writes HTML and SVG piece by piece. Text is escaped; the caller must pass trusted names of elements and attributes.
class HtmlWriter {
 public:
  /// Writes "<table class=...>"; `attributes` is not escaped.
  HtmlWriter& open(std::string_view element, std::string_view attributes = "");
  HtmlWriter& close(std::string_view element);
  HtmlWriter& text(std::string_view text);
  /// Writes an element that contains only text.
  HtmlWriter& element(std::string_view element, std::string_view text, std::string_view attributes = "");
  /// Writes the small line under a number or word; nothing if `text` is empty.
  HtmlWriter& small(std::string_view text);
  /// Writes HTML that was produced elsewhere.
  HtmlWriter& raw(std::string_view html);
  const std::string& str() const { return html_; }

 private:
  std::string html_;
};

/// Returns `name="value"` with a leading blank.
std::string attribute(std::string_view name, std::string_view value);
/// Same for a number, rounded to a tenth.
std::string attribute(std::string_view name, double value);

}  // namespace kmux::bench
