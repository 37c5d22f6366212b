// SPDX-License-Identifier: Apache-2.0
#include "simt/frontend/missing_templates.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kmux::simt {
namespace {

constexpr int kMaxAttempts = 16;  // each compiles the source again, and corrects all places that Clang names
constexpr std::string_view kWord = "template ";
constexpr std::string_view kErrors[] = {": error: reference to non-static member function must be called",
                                        ": error: reference to overloaded function could not be resolved",
                                        ": error: missing 'template' keyword prior to dependent template name"};

using Place = std::tuple<std::string_view, std::size_t, std::size_t>;  // path, line, column, from 1

// Takes the number after the last colon off `text`; 0 if there is none.
std::size_t take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  std::size_t number = 0;
  if (colon == text.npos) return 0;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  text = text.substr(0, colon);
  return number;
}

// Returns the places that errors of `log` name, the last of a file first.
std::set<Place, std::greater<>> places_in(std::string_view log) {
  std::set<Place, std::greater<>> places;
  for (const std::string_view error : kErrors) {
    for (std::size_t at = log.find(error); at != log.npos; at = log.find(error, at + 1)) {
      const std::size_t begin = at == 0 ? 0 : log.rfind('\n', at - 1) + 1;  // npos + 1 is 0
      std::string_view place = log.substr(begin, at - begin);
      const std::size_t column = take_number(place), line = take_number(place);
      if (line > 0 && column > 0) places.emplace(place, line, column);
    }
  }
  return places;
}

// Returns the index of a line and column, or the size of `text`.
std::size_t index_of(std::string_view text, std::size_t line, std::size_t column) {
  std::size_t begin = 0;
  for (; line > 1; --line) {
    begin = text.find('\n', begin);
    if (begin == text.npos) return text.size();
    ++begin;
  }
  return std::min(begin + column - 1, text.size());
}

bool is_in_name(char c) { return llvm::isAlnum(c) || c == '_'; }

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_in_name(text[at])) ++at;
  return at;
}

// Returns the member's name at `at`, or behind the type that `at` names, if template arguments follow directly: "get" of
// "object.get<1>" and of "type::get<1>". Returns an empty text at the end of `text` for all others.
std::string_view member_at(std::string_view text, std::size_t at) {
  const std::string_view before = llvm::StringRef(text.substr(0, at)).rtrim();
  bool is_member = before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
  std::size_t end = end_of_name(text, at);
  for (; text.substr(end).starts_with("::"); end = end_of_name(text, at)) {
    is_member = true;
    at = end + 2;
  }
  return is_member && text.substr(end).starts_with('<') ? text.substr(at, end - at) : text.substr(text.size());
}

}  // namespace

bool MissingTemplates::add(std::string_view path, std::size_t line, std::size_t column, llvm::vfs::FileSystem& files) {
  auto found = texts_.find(path);
  if (found == texts_.end()) {
    const auto file = files.getBufferForFile(path);
    if (!file) return false;
    found = texts_.emplace(path, (*file)->getBuffer()).first;
  }
  std::string& text = found->second;
  const std::string_view member = member_at(text, index_of(text, line, column));
  if (member.empty()) return false;
  const std::string name(member);
  text.insert(static_cast<std::size_t>(member.data() - text.data()), kWord);
  warnings_ += std::string(path) + ":" + std::to_string(line) + ":" + std::to_string(column) +
               ": warning: the word template is missing before \"" + name +
               "\" (nvcc accepts this, C++ does not). It is compiled as if it were there.\n";
  return true;
}

bool MissingTemplates::add(std::string_view log, llvm::vfs::FileSystem& files) {
  if (++attempts_ > kMaxAttempts) return false;
  bool is_changed = false;
  for (const auto& [path, line, column] : places_in(log)) is_changed |= add(path, line, column, files);
  return is_changed;
}

void MissingTemplates::apply(clang::PreprocessorOptions& options) const {
  for (const auto& [path, text] : texts_) {
    options.addRemappedFile(path, llvm::MemoryBuffer::getMemBufferCopy(text, path).release());  // the compiler owns it
  }
}

bool refuses_template(std::string_view log) { return log.find("following the 'template' keyword") != log.npos; }

}  // namespace kmux::simt
