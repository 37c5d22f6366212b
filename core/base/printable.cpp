// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "kmux/plugin/characters.h"

namespace kmux {
namespace {

/// The characters that terminals interpret (C0, DEL and C1), and those that change the order of displayed characters.
constexpr std::array kCommands = std::to_array<std::pair<std::uint32_t, std::uint32_t>>(
    {{0x00, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x2029}, {0x202a, 0x202e}, {0x2066, 0x2069}});

bool is_obeyed(std::uint32_t code) {
  return std::ranges::any_of(kCommands, [&](const auto& range) { return code >= range.first && code <= range.second; });
}

/// Returns true if the first character of `text` may be displayed unchanged.
bool may_be_shown(std::string_view text, const Character& first) {
  if (text[0] == '\n' || text[0] == '\t' || text.starts_with("\r\n")) return true;
  return first.size > 0 && !is_obeyed(first.code);
}

/// Returns `text` with the bytes of each character as \xHH unless `is_kept`.
std::string escaped(std::string_view text, bool (*is_kept)(std::string_view text, const Character& first)) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const Character first = first_character(text);
    const std::size_t size = std::max<std::size_t>(first.size, 1);
    if (is_kept(text, first)) {
      shown += text.substr(0, size);
    } else {
      for (const char byte : text.substr(0, size)) {
        const auto code = static_cast<unsigned char>(byte);
        shown.append("\\x").append({kHexDigits[code >> 4], kHexDigits[code & 15]});
      }
    }
    text.remove_prefix(size);
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, may_be_shown); }

std::string as_utf8(std::string_view text) {
  return escaped(text, [](std::string_view, const Character& first) { return first.size > 0; });
}

}  // namespace kmux
