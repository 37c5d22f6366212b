#include "engine/preamble.h"

#include <algorithm>

namespace kmux::cpu {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

// Takes a leading comment off `text`; false if there is none, or it has no end.
bool drop_comment(std::string_view& text) {
  const bool is_line = text.starts_with("//");
  if (!is_line && !text.starts_with("/*")) return false;
  const std::size_t end = is_line ? text.find('\n') : text.find("*/", 2);
  if (end == text.npos) return false;
  if (text.substr(0, end).ends_with('\\') || text.substr(0, end).ends_with("\\\r")) return false;
  text.remove_prefix(is_line ? end : end + 2);
  return true;
}

// Takes blanks and comments off, as far as they go.
void drop_blanks(std::string_view& text) {
  do {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  } while (drop_comment(text));
}

bool drop_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// Takes `#include <x>` or `#include "x"` off, up to the end of the name.
bool drop_include(std::string_view& text) {
  std::string_view rest = text;
  if (!drop_word(rest, "#")) return false;
  drop_blanks(rest);
  if (!drop_word(rest, "include")) return false;
  drop_blanks(rest);
  if (!rest.starts_with('<') && !rest.starts_with('"')) return false;
  const std::size_t end = rest.find(rest.front() == '<' ? '>' : '"', 1);
  if (end > rest.find('\n')) return false;
  rest.remove_prefix(end + 1);
  text = rest;
  return true;
}

}  // namespace

std::size_t preamble_size(std::string_view source) {
  std::string_view rest = source;
  std::size_t size = 0;
  bool includes = false;
  for (;;) {
    drop_blanks(rest);
    const bool included = drop_include(rest);
    if (included) drop_blanks(rest);
    if (!rest.starts_with('\n')) return includes ? size : 0;
    rest.remove_prefix(1);
    includes = includes || included;
    size = source.size() - rest.size();
  }
}

}  // namespace kmux::cpu
