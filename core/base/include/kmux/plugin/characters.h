// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kmux {

/// A character of UTF-8.
struct Character {
  std::size_t size = 0;    // in bytes; 0: the text does not begin with one
  std::uint32_t code = 0;  // its code point
};

/// The character of UTF-8 that `text` begins with; one of size 0 if it is empty or begins with none.
Character first_character(std::string_view text);

/// Returns true for ASCII letters, digits and the underscore, whatever the locale: what names in sources consist of.
constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// `word` with its ASCII letters in lower case, whatever the locale.
std::string lower_case(std::string_view word);

}  // namespace kmux
