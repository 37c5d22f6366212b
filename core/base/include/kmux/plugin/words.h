#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// "a, b, c" for a message; `if_empty` where there are none.
std::string join(const std::vector<std::string>& words, std::string_view if_empty = "");

/// The lines of `text` that are not empty: how a list is written in an option.
std::vector<std::string> split_lines(std::string_view text);

/// `word` with its ASCII letters in lower case, whatever the locale.
std::string lower_case(std::string_view word);

}  // namespace kmux
