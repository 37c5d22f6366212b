#include "kmux/plugin/headers.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

#include "kmux/plugin/characters.h"

namespace kmux {
namespace {

// Returns the text after one of `prefixes` in `flag`; empty if none matches.
std::string_view value_of(std::string_view flag, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (flag.starts_with(prefix)) return flag.substr(prefix.size());
  }
  return {};
}

// The program's own files come first ("."): its #include lines are looked up there.
std::vector<std::string> search_order(const HeaderSearch& search) {
  std::vector<std::string> folders = {"."};
  for (const std::string& flag : search.compile_flags) {
    if (const auto folder = value_of(flag, {"-I", "--include-path="}); !folder.empty()) folders.emplace_back(folder);
  }
  folders.insert(folders.end(), search.folders.begin(), search.folders.end());
  return folders;
}

// Returns the text that compilers read before the sources.
std::string opening_of(const Settings& settings, const HeaderSearch& search) {
  std::string text;
  for (const std::string& header : search.implicit) text += "#include <" + header + ">\n";
  for (const std::string& define : settings.defines) text += define_line(define);
  for (const std::string& flag : search.compile_flags) {
    if (const auto define = value_of(flag, {"-D", "--define-macro="}); !define.empty()) text += define_line(define);
  }
  for (const std::string& prelude : settings.preludes) text += "#include \"" + prelude + "\"\n";
  return text;
}

}  // namespace

std::optional<Dependencies> Headers::scan(const Variant& variant, const HeaderSearch& search) {
  std::vector<File> embedded = variant.sources;
  embedded.insert(embedded.end(), variant.headers.begin(), variant.headers.end());
  const auto reads = [](const File& file) { return may_include(file.content); };
  const std::string opening = opening_of(variant.settings, search);
  if (!may_include(opening) && std::ranges::none_of(embedded, reads)) return std::nullopt;
  std::vector<File> texts = {{"", opening}};
  texts.insert(texts.end(), variant.sources.begin(), variant.sources.end());
  return scan_includes(texts, embedded, {{}, search_order(search)}, memory_);
}

namespace {

// Returns the end of the literal, word or other character that begins at `at`.
std::size_t end_of_part(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (text[at] == '"' || text[at] == '\'') {
    while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  while (is_name_character(text[at]) && end < text.size() && is_name_character(text[end])) ++end;
  return end;
}

// Returns true for a name; false for the suffix of "1.F" or the prefix of a literal.
bool is_letter_name(std::string_view text, std::size_t at, std::size_t end) {
  const bool is_capital = end - at == 1 && text[at] >= 'A' && text[at] <= 'Z';
  const bool is_literal = (at > 0 && text[at - 1] == '.') || (end < text.size() && text[end] == '"');
  return is_capital && !is_literal;
}

std::string renamed(std::string_view text) {
  std::string made;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = end_of_part(text, at);
    if (is_letter_name(text, at, end)) made += "kmux_";
    made += text.substr(at, end - at);
  }
  return made;
}

}  // namespace

const std::string& header_text(std::string_view embedded) {
  static std::mutex mutex;
  static std::map<const char*, std::string>& made = *new std::map<const char*, std::string>;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = made.try_emplace(embedded.data());
  if (is_new) place->second = renamed(embedded);
  return place->second;
}

}  // namespace kmux
