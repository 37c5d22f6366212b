#include "assembler_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "kmux/plugin/characters.h"

namespace kmux {
namespace {

constexpr std::string_view kBinary = ".incbin", kText = ".include";
constexpr std::size_t kKept =
    32;  // characters kept of the joined text: longer than a directive and the blanks after it

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::ranges::equal(text.substr(0, word.size()), word, {}, small, small);
}

std::string_view after_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

// Returns true for a file name in quotes, which may be escaped, or for a comment before it.
bool begins_with_name(std::string_view text) {
  text = after_blanks(text);
  return !text.empty() && (text.front() == '"' || text.front() == '\\' || text.front() == '/');
}

// Returns how many characters of a directive `text` ends with; blanks may follow a complete one.
std::size_t begun(std::string_view text) {
  const std::string_view whole = text.substr(0, text.find_last_not_of(" \t") + 1);
  if (whole.ends_with(kText)) return kText.size();
  for (std::size_t count = kText.size() - 1; count > 0; --count) {
    if (text.ends_with(kText.substr(0, count)) || text.ends_with(kBinary.substr(0, count))) return count;
  }
  return 0;
}

int base_of(char kind) { return kind == 'x' || kind == 'u' || kind == 'U' ? 16 : 8; }

// Parses the number of an escape at the front of `text` and removes it: "x2e", "056", "u002e".
char take_number(std::string_view& text) {
  const int base = base_of(text.front());
  if (base == 16) text.remove_prefix(1);
  const std::string_view digits = base == 8 ? text.substr(0, 3) : text;
  unsigned long value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  text.remove_prefix(static_cast<std::size_t>(end - digits.data()));
  return value < 0x80 && error == std::errc{} ? static_cast<char>(value) : '?';
}

// Parses an escape, without its backslash, at the front of `text` and removes it.
char take_escape(std::string_view& text) {
  constexpr std::string_view kBlanks = "nrtvfab";
  const char kind = text.front();
  if (kind == 'x' || kind == 'u' || kind == 'U' || (kind >= '0' && kind <= '7')) return take_number(text);
  text.remove_prefix(1);
  if (kind == 't') return '\t';
  return kBlanks.find(kind) == kBlanks.npos ? kind : '\n';
}

// Returns the characters of `literal` with escapes resolved, in small letters.
std::string meaning_of(const PastedText::Literal& literal) {
  std::string meaning;
  for (std::string_view rest = literal.content; !rest.empty();) {
    const char c = rest.front();
    rest.remove_prefix(1);
    const bool is_escape = c == '\\' && !literal.is_raw && !rest.empty();
    meaning += small(is_escape ? take_escape(rest) : c);
  }
  return meaning;
}

}  // namespace

bool names_a_file_to_assemble(std::string_view text) {
  for (std::size_t at = text.find('.'); at != text.npos; at = text.find('.', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (begins_with(rest, kBinary)) return true;
    if (begins_with(rest, kText) && begins_with_name(rest.substr(kText.size()))) return true;
  }
  return false;
}

namespace {

// The directives by which assemblers put text together.
constexpr std::array<std::string_view, 4> kMacros = {".macro", ".irp", ".rept", ".altmacro"};

// Returns true if an argument of a call in `text` is the begin of a directive that reads a file: "(.inc", ", .include".
bool passes_directive(std::string_view text) {
  for (std::size_t at = text.find('.'); at != text.npos; at = text.find('.', at + 1)) {
    const std::size_t before = text.substr(0, at).find_last_not_of(" \t\n");
    if (before == text.npos || (text[before] != '(' && text[before] != ',')) continue;
    const std::string_view rest = text.substr(at);
    const std::size_t end = 1 + static_cast<std::size_t>(std::ranges::find_if_not(rest.substr(1), is_name_character) -
                                                         rest.substr(1).begin());
    const std::string_view word = rest.substr(0, end);
    const std::string_view behind = rest.substr(std::min(rest.find_first_not_of(" \t\n", end), rest.size()));
    const bool is_argument = !behind.empty() && (behind.front() == ')' || behind.front() == ',');
    if (is_argument && word.size() > 1 && (begins_with(kText, word) || begins_with(kBinary, word))) return true;
  }
  return false;
}

}  // namespace

bool may_put_directives_together(std::string_view text) {
  if (text.find("asm") == text.npos) return false;
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  return std::ranges::any_of(kMacros, has) || passes_directive(text);
}

void PastedText::add(const Literal& literal) {
  const std::string meaning = meaning_of(literal);
  const bool is_joined = literal.begin == next_;
  if (!is_joined) joined_.clear();
  joined_ += meaning;
  next_ = literal.end;
  const bool ends_one = !is_joined && literal.follows_word && names_a_file_to_assemble("." + meaning);
  const bool begins_one = (literal.precedes_word || literal.ends_definition) && begun(joined_) > 1;
  if (ends_one || begins_one || names_a_file_to_assemble(joined_)) is_complete_ = false;
  if (joined_.size() > kKept) joined_.erase(0, joined_.size() - kKept);
}

void PastedText::go_on(const PastedText& before) {
  joined_ = before.joined_;
  next_ = before.next_;
}

}  // namespace kmux
