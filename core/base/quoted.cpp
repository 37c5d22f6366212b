#include "quoted.h"

namespace kmux {

namespace {

constexpr std::size_t kMaxLength = 120;

std::string escaped(char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(byte);
  if (byte == '\n') return "\\n";
  if (byte == '"' || byte == '\\') return {'\\', byte};
  if (code < 0x20 || code > 0x7e) return {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
  return {byte};
}

}  // namespace

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char byte : text.substr(0, kMaxLength)) result += escaped(byte);
  return result + (text.size() > kMaxLength ? "...\"" : "\"");
}

}  // namespace kmux
