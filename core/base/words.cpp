#include "kmux/plugin/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <numeric>
#include <sys/random.h>
#include <sys/types.h>

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

std::string lower_case(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

namespace {

constexpr std::size_t kMaxLength = 120;

std::string escaped(char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(byte);
  if (byte == '\n') return "\\n";
  if (byte == '"' || byte == '\\') return {'\\', byte};
  if (code < 0x20 || code > 0x7e) return {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
  return {byte};
}

}  // namespace

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char byte : text.substr(0, kMaxLength)) result += escaped(byte);
  return result + (text.size() > kMaxLength ? "...\"" : "\"");
}

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Letters to insert, delete, replace or swap with their neighbour.
///
/// Source: the optimal string alignment distance, a restriction of Damerau 1964.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> found;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t letters = distance(word, candidate);
    if (letters >= best || letters >= candidate.size()) continue;
    best = letters;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> found = nearest(word, known);
  if (!found || *found == word) return "";
  return " Did you mean '" + *found + "'?";
}

std::string random_word() {
  std::array<unsigned char, 16> bytes{};
  ssize_t count = 0;
  do {
    count = ::getrandom(bytes.data(), bytes.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(bytes.size())) return "";
  std::string word;
  for (const unsigned char byte : bytes) word.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
  return word;
}

}  // namespace kmux
