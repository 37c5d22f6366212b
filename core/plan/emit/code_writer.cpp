#include "kmux/plugin/emit.h"

namespace kmux {

CodeWriter& CodeWriter::line(std::string_view text) {
  if (!text.empty()) text_.append(2 * static_cast<std::size_t>(depth_), ' ').append(text);
  text_ += '\n';
  return *this;
}

CodeWriter& CodeWriter::lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return *this;
}

CodeWriter& CodeWriter::open(std::string_view text) { return line(text).deepen(); }

CodeWriter& CodeWriter::close(std::string_view text) {
  --depth_;
  return line(text);
}

std::string quote_c(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append(1, '\\').append(1, c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte > 0x7e || c == '?') {
      // Three octal digits end by themselves, unlike hexadecimal ones; '?' might begin a trigraph.
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace kmux
