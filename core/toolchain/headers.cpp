#include "kmux/plugin/headers.h"

#include <algorithm>
#include <string_view>

namespace kmux {
namespace {

// What follows one of `prefixes` in `flag`; empty if none does.
std::string_view value_of(std::string_view flag, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (flag.starts_with(prefix)) return flag.substr(prefix.size());
  }
  return {};
}

// The program's own files come first ("."): that is where its #include lines are looked up.
std::vector<std::string> search_order(const HeaderSearch& search) {
  std::vector<std::string> folders = {"."};
  for (const std::string& flag : search.compile_flags) {
    if (const auto folder = value_of(flag, {"-I", "--include-path="}); !folder.empty()) folders.emplace_back(folder);
  }
  folders.insert(folders.end(), search.folders.begin(), search.folders.end());
  return folders;
}

// What is read before the sources.
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

}  // namespace kmux
