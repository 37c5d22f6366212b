// SPDX-License-Identifier: Apache-2.0
#include "simt/frontend/missing_templates.h"

#include <functional>
#include <set>

#include "llvm/ADT/StringExtras.h"

namespace kmux::simt {
namespace {

constexpr int kMaxAttempts = 16;  // each compiles the source again, and corrects all places that Clang names
constexpr std::string_view kWord = "template ";
constexpr std::string_view kErrors[] = {": error: reference to non-static member function must be called",
                                        ": error: reference to overloaded function could not be resolved",
                                        ": error: missing 'template' keyword prior to dependent template name"};

// Returns the places that errors of `log` name, the last of a file first.
std::set<ErrorPlace, std::greater<>> places_in(std::string_view log) {
  std::set<ErrorPlace, std::greater<>> places;
  for (const std::string_view error : kErrors) places.merge(error_places(log, error));
  return places;
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
  std::string* const found = texts_.find(path, files);
  if (found == nullptr) return false;
  std::string& text = *found;
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

bool refuses_template(std::string_view log) { return log.find("following the 'template' keyword") != log.npos; }

}  // namespace kmux::simt
