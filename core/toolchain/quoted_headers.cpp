// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/quoted_headers.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>
#include <utility>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/confinement.h"
#include "kmux/plugin/features.h"
#include "kmux/plugin/file_io.h"
#include "kmux/validate.h"

#include "include_lexer.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxHeaders = 4096;

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return in_root == root.end() && in_path != path.end();
}

/// Returns true if a source in `folder` may include files of its parent folder: one of the same owner, to which no
/// stranger may write, and without the user's home.
bool may_leave(const fs::path& folder) {
  struct stat here{}, above{};
  const fs::path parent = folder.parent_path();
  if (stat(folder.c_str(), &here) != 0 || stat(parent.c_str(), &above) != 0) return false;
  return here.st_uid == above.st_uid && (above.st_mode & S_IWOTH) == 0 && !contains_home(parent);
}

fs::path outermost(fs::path folder) {
  while (may_leave(folder)) folder = folder.parent_path();
  return folder;
}

/// Returns the number of folders that a normal path leads up.
std::size_t depth_of(const fs::path& path) {
  return static_cast<std::size_t>(std::ranges::count(path, fs::path("..")));
}

/// Returns the last `depth` folders of the path.
fs::path end_of(const fs::path& folder, std::size_t depth) {
  fs::path root = folder;
  for (std::size_t i = 0; i < depth; ++i) root = root.parent_path();
  return depth == 0 ? fs::path() : folder.lexically_relative(root);
}

bool has_hidden_part(const fs::path& path) {
  return std::ranges::any_of(path, [](const fs::path& part) { return part != ".." && part.string().starts_with('.'); });
}

/// The quoted includes of a program's texts, followed from file to file.
class QuotedIncludes {
 public:
  QuotedIncludes(fs::path folder, HeaderReach reach)
      : folder_(std::move(folder)), root_(reach == HeaderReach::kTree ? outermost(folder_) : folder_) {}

  std::vector<File> follow_all(std::span<const File> texts);

  /// Returns the number of folders above the folder that the includes lead through.
  std::size_t depth() const { return depth_; }

  /// Returns names that are not beside their file, but of headers of the folder: compilers find them by its path.
  const std::set<std::string>& names_by_folder() const { return by_folder_; }

 private:
  void follow(const fs::path& path);
  void add(const fs::path& named);
  std::optional<fs::path> place_of(const fs::path& path) const;

  fs::path folder_, root_;
  std::map<std::string, std::string> contents_;  // by path; empty for what is omitted
  std::vector<std::string> found_;
  std::set<std::string> present_;  // texts and what was found
  std::set<std::string> by_folder_;
  std::size_t depth_ = 0;
};

std::vector<File> QuotedIncludes::follow_all(std::span<const File> texts) {
  for (const File& text : texts) contents_.emplace(text.path, text.content), present_.insert(text.path);
  for (const File& text : texts) follow(text.path);
  for (std::size_t next = 0; next < found_.size() && next < kMaxHeaders; ++next) follow(std::string(found_[next]));
  std::vector<File> headers;
  headers.reserve(found_.size());
  for (const std::string& path : found_) headers.push_back({path, std::move(contents_.at(path))});
  std::erase_if(by_folder_, [&](const std::string& name) { return !present_.contains(name); });
  return headers;
}

void QuotedIncludes::follow(const fs::path& path) {
  for (const Include& include : lex_includes(contents_.at(path.string())).includes) {
    const bool is_relative = include.form == Include::Form::kQuoted && include.reach == Include::Reach::kFirst &&
                             !include.name.starts_with('/');
    if (is_relative) add((path.parent_path() / include.name).lexically_normal());
    if (is_relative && path.has_parent_path()) by_folder_.insert(include.name);
  }
}

void QuotedIncludes::add(const fs::path& named) {
  const fs::path path = (folder_ / named).lexically_normal().lexically_relative(folder_);  // one name for each file
  const auto [known, is_new] = contents_.try_emplace(path.string());
  if (!is_new && present_.contains(known->first)) depth_ = std::max(depth_, depth_of(named));
  const std::optional<fs::path> place = is_new ? place_of(path) : std::nullopt;
  Result<std::string> content = place ? read_file(*place) : Result<std::string>(std::string());
  if (!place || !content) return;
  known->second = *std::move(content);
  found_.push_back(known->first);
  present_.insert(known->first);
  depth_ = std::max(depth_, depth_of(named));
}

/// Returns the real path of a file that the program may include; `path` is relative to its folder.
std::optional<fs::path> QuotedIncludes::place_of(const fs::path& path) const {
  std::error_code error;
  const fs::path named = (folder_ / path).lexically_normal();
  fs::path real = fs::canonical(named, error);
  if (error || !is_below(named, root_) || !is_below(real, root_) || has_hidden_part(path)) return std::nullopt;
  if (!fs::is_regular_file(real, error)) return std::nullopt;
  const fs::path beside = end_of(folder_, depth_of(path));
  const bool is_valid =
      is_file_path((beside / path).lexically_normal().string()) && (beside.empty() || is_file_path(beside.string()));
  return is_valid ? std::optional(std::move(real)) : std::nullopt;
}

/// Puts `prefix`, a folder, before each path of the variant that belongs to the program.
void move_into(Variant& variant, const fs::path& prefix) {
  const auto moved = [&](const std::string& path) { return (prefix / path).lexically_normal().string(); };
  for (std::string& prelude : variant.settings.preludes) {
    if (std::ranges::find(variant.headers, prelude, &File::path) != variant.headers.end()) prelude = moved(prelude);
  }
  for (std::string& flag : variant.settings.compile_flags) flag = in_program(flag, prefix.string());
  for (File& file : variant.sources) file.path = moved(file.path);
  for (File& file : variant.headers) file.path = moved(file.path);
}

/// Adds a header for each name that compilers find by the folder of the sources, which is not the program's any more:
/// the machine's file of that name (-I) would be a second copy of the program's.
void add_forwards(Variant& variant, const fs::path& prefix, const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::find(variant.headers, name, &File::path) != variant.headers.end()) continue;
    variant.headers.push_back({name, "#include \"" + (prefix / name).string() + "\"\n"});
  }
}

/// Returns the real path of `folder`, or of the working directory if it is empty; nothing if it does not exist.
std::optional<fs::path> real_folder(const fs::path& folder) {
  std::error_code error;
  fs::path real = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  return error ? std::nullopt : std::optional(std::move(real));
}

bool has_includes(const std::string& dialect) {
  const Dialect* const known = find_dialect(dialect);
  return known != nullptr && !known->is_binary && dialect != "cutedsl" && dialect != "ptx";
}

}  // namespace

std::vector<File> quoted_headers(std::span<const File> texts, const fs::path& folder, HeaderReach reach) {
  std::optional<fs::path> real = real_folder(folder);
  return real ? QuotedIncludes(*std::move(real), reach).follow_all(texts) : std::vector<File>();
}

void add_quoted_headers(Variant& variant, const fs::path& folder, HeaderReach reach) {
  if (!has_includes(variant.dialect)) return;
  std::vector<File> texts = variant.sources;
  texts.insert(texts.end(), variant.headers.begin(), variant.headers.end());
  const std::optional<fs::path> real = real_folder(folder);
  if (!real) return;
  QuotedIncludes includes(*real, reach);
  std::ranges::move(includes.follow_all(texts), std::back_inserter(variant.headers));
  if (includes.depth() == 0) return;
  const fs::path prefix = end_of(*real, includes.depth());
  move_into(variant, prefix);
  add_forwards(variant, prefix, includes.names_by_folder());
}

}  // namespace kmux
