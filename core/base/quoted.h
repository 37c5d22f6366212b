#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kmux {

/// `text` between double quotes on one line, for a message: quotes, backslashes and control characters are escaped, long
/// text is cut.
std::string in_double_quotes(std::string_view text);

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
