// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/quoting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kmux/plugin/characters.h"

namespace kmux {

namespace {

/// The invisible characters: control characters, whitespace except the ASCII space, and bidirectional marks.
constexpr std::array kInvisible = std::to_array<std::pair<std::uint32_t, std::uint32_t>>({{0x00, 0x1f},
                                                                                          {0x7f, 0xa0},
                                                                                          {0xad, 0xad},
                                                                                          {0x2000, 0x200f},
                                                                                          {0x2028, 0x202f},
                                                                                          {0x205f, 0x206f},
                                                                                          {0x3000, 0x3000},
                                                                                          {0xfeff, 0xfeff}});

bool is_visible(const Character& character) {
  return character.size > 0 && std::ranges::none_of(kInvisible, [&](const auto& range) {
           return character.code >= range.first && character.code <= range.second;
         });
}

constexpr std::size_t kMaxLength = 120;

std::string escaped(char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(byte);
  if (byte == '\n') return "\\n";
  return {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
}

}  // namespace

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  std::size_t at = 0;
  while (at < std::min(text.size(), kMaxLength)) {
    const Character character = first_character(text.substr(at));
    const std::size_t size = std::max<std::size_t>(character.size, 1);
    if (text[at] == '"' || text[at] == '\\') result += '\\';
    if (is_visible(character))
      result += text.substr(at, size);
    else
      for (const char byte : text.substr(at, size)) result += escaped(byte);
    at += size;
  }
  return result + (at < text.size() ? "...\"" : "\"");
}

}  // namespace kmux
