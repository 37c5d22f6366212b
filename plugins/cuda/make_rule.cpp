#include "make_rule.h"

#include <algorithm>
#include <filesystem>

namespace kmux::cuda {
namespace {

// Blanks in names are escaped with a backslash, and so are the ends of lines between names; a dollar is doubled.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if ((text[i] == '\\' && next == ' ') || (text[i] == '$' && next == '$')) {
      words.back() += next;
      ++i;
    } else if (text[i] == ' ' || text[i] == '\n' || (text[i] == '\\' && next == '\n')) {
      words.emplace_back();
    } else {
      words.back() += text[i];
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> absolute_prerequisites(std::string_view rule) {
  const std::size_t colon = std::min(rule.find(": "), rule.size());
  std::vector<std::string> paths;
  for (const std::string& word : words_of(rule.substr(colon))) {
    if (word.starts_with('/')) paths.push_back(std::filesystem::path(word).lexically_normal().string());
  }
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

}  // namespace kmux::cuda
