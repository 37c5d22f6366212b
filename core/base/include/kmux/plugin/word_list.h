// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/quoting.h"

namespace kmux {

/// Returns "a, b, c" for a message; `if_empty` if `words` is empty.
std::string join(const std::vector<std::string>& words, std::string_view if_empty = "");

/// Returns the non-empty lines of `text`. Options hold lists in this form.
std::vector<std::string> split_lines(std::string_view text);

/// Returns text such as `"a", "b" or "c"` for the words of a vector, an array or a span.
template <class Words>
std::string listed(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += in_double_quotes(words[i]);
  }
  return text;
}

}  // namespace kmux
