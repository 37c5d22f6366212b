#include "kmux/words.h"

#include <algorithm>

namespace kmux {

std::string join(const std::vector<std::string>& words, std::string_view if_empty) {
  if (words.empty()) return std::string(if_empty);
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) text.append(", ").append(words[i]);
  return text;
}

std::string lower_case(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace kmux
