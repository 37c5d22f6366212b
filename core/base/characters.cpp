// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/characters.h"

#include <algorithm>
#include <array>

namespace kmux {

namespace {

// The leading bits of the first byte of a UTF-8 character, its size, and the smallest code point of that size.
struct Lead {
  unsigned char mask;
  unsigned char bits;
  std::size_t size;
  std::uint32_t least;
};
constexpr std::array kLeads =
    std::to_array<Lead>({{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}});

}  // namespace

Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = std::ranges::find_if(kLeads, [&](const Lead& kind) { return (byte(0) & kind.mask) == kind.bits; });
  if (lead == kLeads.end() || text.size() < lead->size) return {};
  std::uint32_t code = byte(0) & ~lead->mask & 0xffU;
  for (std::size_t i = 1; i < lead->size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool is_valid = code >= lead->least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return is_valid ? Character{lead->size, code} : Character{};
}

std::string lower_case(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace kmux
