#pragma once

#include <string>
#include <string_view>

namespace kmux::bench {

/// `text` as HTML shows it: no character of it is markup, in an element or in an attribute.
std::string escaped(std::string_view text);
/// The same for an element alone, where quotes and ">" mean nothing: pages of C++ are a tenth smaller.
std::string escaped_content(std::string_view text);

/// HTML and SVG, piece by piece. Text is escaped; names of elements and attributes are literals of ours.
class HtmlWriter {
 public:
  /// "<table class=...>"; `attributes` is as it is written.
  HtmlWriter& open(std::string_view element, std::string_view attributes = "");
  HtmlWriter& close(std::string_view element);
  HtmlWriter& text(std::string_view text);
  /// An element with text and nothing else.
  HtmlWriter& element(std::string_view element, std::string_view text, std::string_view attributes = "");
  /// The line under a number or a word, in small type; nothing if `text` is empty.
  HtmlWriter& small(std::string_view text);
  /// What has been written elsewhere.
  HtmlWriter& raw(std::string_view html);
  const std::string& str() const { return html_; }

 private:
  std::string html_;
};

/// `name="value"`, with a blank before it.
std::string attribute(std::string_view name, std::string_view value);
/// A number to a tenth.
std::string attribute(std::string_view name, double value);

}  // namespace kmux::bench
