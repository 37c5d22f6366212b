#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// "a, b, c" for a message; `if_empty` where there are none.
std::string join(const std::vector<std::string>& words, std::string_view if_empty = "");

/// `word` with its ASCII letters in lower case, whatever the locale.
std::string lower_case(std::string_view word);

}  // namespace kmux
