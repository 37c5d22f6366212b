// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/quoting.h"

namespace kmux {

/// "a, b, c" for a message; `if_empty` where there are none.
std::string join(const std::vector<std::string>& words, std::string_view if_empty = "");

/// The lines of `text` that are not empty: how a list is written in an option.
std::vector<std::string> split_lines(std::string_view text);

/// Text such as `"a", "b" or "c"`, of words in a vector, an array or a span.
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
