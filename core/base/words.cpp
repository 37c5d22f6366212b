#include "kmux/plugin/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <numeric>
#include <sys/random.h>  // getentropy, which other systems have in unistd.h
#include <unistd.h>
#include <utility>

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

// How the first byte of a character of UTF-8 begins, and the least character that needs so many bytes.
struct Lead {
  unsigned char mask;
  unsigned char bits;
  std::size_t size;
  std::uint32_t least;
};
constexpr std::array kLeads =
    std::to_array<Lead>({{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}});

struct Character {
  std::size_t size = 0;  // in bytes; 0: there is none
  std::uint32_t code = 0;
};

Character character_at_front(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = std::ranges::find_if(kLeads, [&](const Lead& kind) { return (byte(0) & kind.mask) == kind.bits; });
  if (lead == kLeads.end() || text.size() < lead->size) return {};
  std::uint32_t code = byte(0) & ~lead->mask & 0xffU;
  for (std::size_t i = 1; i < lead->size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool is_valid = code >= lead->least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return is_valid ? Character{lead->size, code} : Character{};
}

/// What shows nothing, or turns around what is shown: control characters, blanks but the usual one, marks of direction.
constexpr std::array kInvisible = std::to_array<std::pair<std::uint32_t, std::uint32_t>>({{0x00, 0x1f},
                                                                                          {0x7f, 0xa0},
                                                                                          {0xad, 0xad},
                                                                                          {0x2000, 0x200f},
                                                                                          {0x2028, 0x202f},
                                                                                          {0x205f, 0x206f},
                                                                                          {0x3000, 0x3000},
                                                                                          {0xfeff, 0xfeff}});

bool is_visible(const Character& character) {
  return character.size > 0 && std::ranges::none_of(kInvisible, [&](const auto& range) {
           return character.code >= range.first && character.code <= range.second;
         });
}

constexpr std::size_t kMaxLength = 120;

std::string escaped(char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(byte);
  if (byte == '\n') return "\\n";
  return {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
}

}  // namespace

std::size_t character_size(std::string_view text) { return character_at_front(text).size; }

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  std::size_t at = 0;
  while (at < std::min(text.size(), kMaxLength)) {
    const Character character = character_at_front(text.substr(at));
    const std::size_t size = std::max<std::size_t>(character.size, 1);
    if (text[at] == '"' || text[at] == '\\') result += '\\';
    if (is_visible(character))
      result += text.substr(at, size);
    else
      for (const char byte : text.substr(at, size)) result += escaped(byte);
    at += size;
  }
  return result + (at < text.size() ? "...\"" : "\"");
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
  if (::getentropy(bytes.data(), bytes.size()) != 0) return "";
  std::string word;
  for (const unsigned char byte : bytes) word.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
  return word;
}

}  // namespace kmux
