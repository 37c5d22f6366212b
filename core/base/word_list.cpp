// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/word_list.h"

#include <algorithm>

namespace kmux {

std::string join(const std::vector<std::string>& words, std::string_view if_empty) {
  if (words.empty()) return std::string(if_empty);
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) text.append(", ").append(words[i]);
  return text;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace kmux
