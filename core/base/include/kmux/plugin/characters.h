// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kmux {

/// A UTF-8 character.
struct Character {
  std::size_t size = 0;    // in bytes; 0: the text does not begin with a valid character
  std::uint32_t code = 0;  // its code point
};

/// Returns the first UTF-8 character of `text`; its size is 0 if `text` is empty or does not begin with a valid one.
Character first_character(std::string_view text);

/// Returns the bytes of the UTF-8 byte-order mark that `text` begins with: 3, or 0 without one.
constexpr std::size_t byte_order_mark_size(std::string_view text) { return text.starts_with("\xef\xbb\xbf") ? 3 : 0; }

/// Returns `text` behind its UTF-8 byte-order mark, or all of it without one.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(byte_order_mark_size(text));
}

/// Returns true for ASCII letters, digits and the underscore, the characters of source-code names, in any locale.
constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns `word` with its ASCII letters in lower case, in any locale.
std::string lower_case(std::string_view word);

}  // namespace kmux
