#include "kmux/plugin/include_scan.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unordered_map>
#include <unordered_set>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/file_io.h"

#include "include_lexer.h"

namespace kmux {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string in_folder(const std::string& folder, const std::string& name) {
  if (folder.empty() || name.starts_with('/')) return name;
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

bool is_identifier(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, is_name_character);
}

// Returns `text` with `argument` in place of the word `parameter`.
std::string substituted(std::string_view text, std::string_view parameter, std::string_view argument) {
  std::string result;
  while (!text.empty()) {
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(text, is_name_character) - text.begin());
    const std::string_view word = text.substr(0, std::max<std::size_t>(length, 1));
    result += word == parameter ? argument : word;
    text.remove_prefix(word.size());
  }
  return result;
}

// Returns the expansion for `argument` of a macro with one parameter, "(name) <folder/name>".
std::optional<std::string> applied(std::string_view value, std::string_view argument) {
  if (argument.empty()) return std::string(value);
  const std::size_t close = value.find(')');
  if (!value.starts_with('(') || close == value.npos) return std::nullopt;
  const std::string_view parameter = value.substr(1, close - 1);
  std::string_view meaning = value.substr(close + 1);
  meaning.remove_prefix(std::min(meaning.find_first_not_of(" \t"), meaning.size()));
  if (!is_identifier(parameter)) return std::nullopt;
  return substituted(meaning, parameter, argument);
}

// Returns the include that a macro's value denotes, if it has one of the supported forms.
std::optional<Include> include_of(const std::string& value, Include::Reach reach) {
  const bool closed = value.size() > 2 && value.back() == (value.front() == '<' ? '>' : '"');
  if (value.starts_with('<') && closed)
    return Include{Include::Form::kAngled, reach, value.substr(1, value.size() - 2)};
  if (value.starts_with('"') && closed)
    return Include{Include::Form::kQuoted, reach, value.substr(1, value.size() - 2)};
  if (is_identifier(value)) return Include{Include::Form::kMacro, reach, value};
  return std::nullopt;
}

class Scan {
 public:
  Scan(std::span<const File> embedded, const IncludeSearch& search, IncludeMemory& memory)
      : search_(search), memory_(memory) {
    for (const File& file : embedded) embedded_.emplace(file.path, &file.content);
  }

  Dependencies run(std::span<const File> texts);

 private:
  Dependencies found();
  using Macro = std::pair<std::string, Include>;  // with the folder of its file

  void follow(const IncludeList& list, const std::string& folder);
  void follow(const Include& include, const std::string& folder);
  void follow_asker(const std::string& asker);
  void follow_macros();
  bool has_meaning(const Macro& macro) const;
  const std::set<std::string>& meanings(const std::string& macro);
  bool try_place(const std::string& path);
  bool try_program(const std::string& path);
  bool try_machine(const std::string& path);
  void note_outside(std::string_view path);
  void read_next();

  const std::optional<FileIdentity>& look(const std::string& path);
  bool folder_exists(const std::string& folder);
  std::string missing_part(const std::string& path);
  std::string identity(const std::string& path);

  const IncludeSearch& search_;
  IncludeMemory& memory_;
  std::unordered_map<std::string, const std::string*> embedded_;
  std::vector<std::string> queue_;
  std::unordered_set<std::string> seen_;                                // identities of queued files
  std::unordered_map<std::string, std::optional<FileIdentity>> looked_;     // by path
  std::unordered_map<std::string, std::optional<std::string>> folders_;  // by path: device and number
  std::vector<std::string> texts_;  // texts besides the files that may define macros
  std::set<Macro> macros_;
  std::set<std::string> askers_;  // macros that query the header passed to them
  std::map<std::string, std::set<Macro>> calls_;  // of other macros, by name
  std::map<std::string, std::pair<std::size_t, std::set<std::string>>>
      meanings_;  // with the number of files known then
  std::set<std::pair<Macro, std::string>> followed_;  // a macro and one of its meanings
  std::set<std::string> files_, program_files_;
  std::map<std::string, bool> absent_;  // true for a folder
  bool complete_ = true;
  bool tells_places_ = false;
};

Dependencies Scan::run(std::span<const File> texts) {
  for (const File& text : texts) {
    texts_.push_back(text.content);
    follow(lex_includes(text.content), folder_of(text.path));
  }
  for (std::size_t followed = std::string::npos; followed != macros_.size() + followed_.size();) {
    followed = macros_.size() + followed_.size();
    while (!queue_.empty()) read_next();
    follow_macros();
  }
  for (const Macro& macro : macros_) complete_ = complete_ && has_meaning(macro);
  return found();
}

Dependencies Scan::found() {
  Dependencies found{.files = {files_.begin(), files_.end()}, .complete = complete_, .seen = DependencySight{}};
  for (const std::string& path : found.files) found.seen->files.push_back(*look(path));
  for (const auto& [path, is_folder] : absent_) {
    found.absent.push_back(path);
    if (is_folder) found.seen->passed.push_back(path);
  }
  found.tells_places = tells_places_;
  return found;
}

void Scan::read_next() {
  const std::string path = std::move(queue_.back());
  queue_.pop_back();
  if (!path.starts_with('/')) return follow(lex_includes(*embedded_.at(path)), folder_of(path));
  const auto list = memory_.read(path, *look(path));
  // A system header that names its place names the same one for everyone. Where one of its macros expands to the place
  // of the using file, that place appears in the code itself.
  tells_places_ = tells_places_ || (list->names_its_place && !path.starts_with("/usr/"));
  follow(*list, folder_of(path));
}

void Scan::follow(const IncludeList& list, const std::string& folder) {
  complete_ = complete_ && list.complete;
  for (const std::string& asker : list.askers) follow_asker(asker);
  for (const Include& include : list.includes) follow(include, folder);
}

void Scan::follow(const Include& include, const std::string& folder) {
  if (include.form == Include::Form::kMacro) {
    const bool counts = include.through.empty() || askers_.contains(include.through);
    (counts ? macros_ : calls_[include.through]).insert({folder, include});
    return;
  }
  if (include.name.starts_with('/')) {
    tells_places_ = true;
    try_place(include.name);
    return;
  }
  // Where the search of `#include_next` continues depends on how this file was found, so all places count.
  const auto done = [&](const std::string& place) {
    return try_place(in_folder(place, include.name)) && include.reach == Include::Reach::kFirst;
  };
  if (include.form == Include::Form::kQuoted) {
    if (done(folder) || std::ranges::any_of(search_.quoted, done)) return;
  }
  (void)std::ranges::any_of(search_.angled, done);
}

void Scan::follow_asker(const std::string& asker) {
  if (!askers_.insert(asker).second) return;
  macros_.merge(calls_[asker]);
  calls_.erase(asker);
}

// Follows every macro to its definitions in any file. The included files may define more, so callers repeat this until
// nothing new is found.
void Scan::follow_macros() {
  for (const Macro& macro : std::set<Macro>(macros_)) {
    for (const std::string& value : meanings(macro.second.name)) {
      if (!followed_.insert({macro, value}).second) continue;
      const auto meaning = applied(value, macro.second.argument);
      if (const auto include = meaning ? include_of(*meaning, macro.second.reach) : std::nullopt) {
        follow(*include, macro.first);
      } else {
        complete_ = false;
      }
    }
  }
}

bool Scan::has_meaning(const Macro& macro) const {
  return std::ranges::any_of(followed_, [&](const auto& followed) { return followed.first == macro; });
}

// The set of files only grows, so its size shows whether a cached result is valid.
const std::set<std::string>& Scan::meanings(const std::string& macro) {
  const std::size_t file_count = files_.size() + program_files_.size();
  const auto [found, is_new] = meanings_.try_emplace(macro);
  auto& [known_files, values] = found->second;
  if (!is_new && known_files == file_count) return values;
  known_files = file_count;
  const auto take = [&](const std::vector<std::string>& defined) { values.insert(defined.begin(), defined.end()); };
  for (const std::string& text : texts_) take(definitions_of(macro, text));
  for (const std::string& path : program_files_) take(definitions_of(macro, *embedded_.at(path)));
  for (const std::string& path : files_) take(memory_.definitions(path, macro));
  return values;
}

bool Scan::try_place(const std::string& path) { return path.starts_with('/') ? try_machine(path) : try_program(path); }

bool Scan::try_program(const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.starts_with("../")) note_outside(normal);
  if (!embedded_.contains(normal)) return false;
  if (program_files_.insert(normal).second) queue_.push_back(normal);
  return true;
}

// Notes the machine's files that a path out of the program may mean: a program is in a folder below the root in memory,
// and in one two levels below that of temporary files as a child's. No search ends there, as only one of them is meant.
void Scan::note_outside(std::string_view path) {
  std::string folder;
  for (int level = 0; path.starts_with("../"); ++level) {
    path.remove_prefix(3);
    std::error_code error;
    if (level == 1) folder = std::filesystem::temp_directory_path(error).string();
    if (level > 1) folder = folder_of(folder);
  }
  try_machine("/" + std::string(path));
  if (!folder.empty()) try_machine(in_folder(folder, std::string(path)));
}

bool Scan::try_machine(const std::string& path) {
  if (!look(path)) {
    const std::string missing = missing_part(path);
    absent_.try_emplace(missing, missing == path && folder_exists(path));
    return false;
  }
  files_.insert(path);
  if (seen_.insert(identity(path)).second) queue_.push_back(path);
  return true;
}

const std::optional<FileIdentity>& Scan::look(const std::string& path) {
  const auto [found, is_new] = looked_.try_emplace(path);
  struct stat info{};
  if (is_new && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
    found->second = FileIdentity::of(info);
  }
  return found->second;
}

bool Scan::folder_exists(const std::string& folder) {
  const auto [found, is_new] = folders_.try_emplace(folder);
  struct stat info{};
  if (is_new && stat(folder.c_str(), &info) == 0) {
    found->second = std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
  }
  return found->second.has_value();
}

// Returns the outermost missing folder on the way to `path`, else `path`: one entry covers everything in it.
std::string Scan::missing_part(const std::string& path) {
  std::string missing = path;
  for (std::string folder = folder_of(path); folder.size() > 1 && !folder_exists(folder); folder = folder_of(folder)) {
    missing = folder;
  }
  return missing;
}

// Returns the same text for every spelling of the folder of `path` ("a/../a/x.h"), since such names can form cycles.
std::string Scan::identity(const std::string& path) {
  const std::string folder = folder_of(path);
  return (folder_exists(folder) ? *folders_.at(folder) : folder) + path.substr(folder.size());
}

}  // namespace

// Returns the valid entry of `path`, or null. The lock must be held.
IncludeMemory::Entry* IncludeMemory::find(const std::string& path, const FileIdentity& identity) {
  const auto found = entries_.find(path);
  const bool holds = found != entries_.end() && found->second.is_settled && found->second.identity == identity;
  return holds ? &found->second : nullptr;
}

std::shared_ptr<const IncludeList> IncludeMemory::read(const std::string& path, const FileIdentity& identity) {
  {
    const std::lock_guard lock(mutex_);
    if (const Entry* known = find(path, identity)) return known->list;
  }
  const FileTime began = file_time_now();
  const auto text = read_file(path);
  IncludeList read = text ? lex_includes(*text) : IncludeList{.complete = false};
  read.names_its_place = text && names_its_place(*text);
  const auto list = std::make_shared<const IncludeList>(std::move(read));
  const bool is_settled = identity.changed_ns() < began && FileIdentity::of(path) == identity;
  const std::lock_guard lock(mutex_);
  if (text) entries_.insert_or_assign(path, Entry{identity, is_settled, list});
  return list;
}

std::vector<std::string> IncludeMemory::definitions(const std::string& path, const std::string& macro) {
  const FileIdentity identity = FileIdentity::of(path);
  {
    const std::lock_guard lock(mutex_);
    if (!entries_.contains(path)) return {};
    if (const Entry* entry = find(path, identity)) {
      if (const auto known = entry->definitions.find(macro); known != entry->definitions.end()) return known->second;
    }
  }
  const auto text = read_file(path);
  std::vector<std::string> defined;
  if (text && text->find(macro) != text->npos) defined = definitions_of(macro, *text);
  const bool is_same = FileIdentity::of(path) == identity;
  const std::lock_guard lock(mutex_);
  Entry* const entry = text && is_same ? find(path, identity) : nullptr;
  if (entry != nullptr) entry->definitions.insert_or_assign(macro, defined);
  return defined;
}

bool may_include(std::string_view text) {
  constexpr std::string_view kSigns[] = {"include", "import", "embed", "asm", "##", "\?\?", "\\"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return text.find(sign) != text.npos; });
}

namespace {

/// Returns true if there is an "assert" that is not the end of "static_assert".
bool may_assert(std::string_view text) {
  constexpr std::string_view kAssert = "assert", kStatic = "static_";
  for (std::size_t at = text.find(kAssert); at != text.npos; at = text.find(kAssert, at + 1)) {
    if (!text.substr(0, at).ends_with(kStatic)) return true;
  }
  return false;
}

// Removes line ends that a backslash, optionally followed by blanks, hides from a compiler.
std::string with_joined_lines(std::string_view text) {
  std::string joined;
  for (std::size_t slash = text.find('\\'); slash != text.npos; slash = text.find('\\')) {
    const std::size_t after = std::min(text.find_first_not_of(" \t\v\f\r", slash + 1), text.size());
    const bool hides = after < text.size() && text[after] == '\n';
    joined += text.substr(0, hides ? slash : slash + 1);
    text.remove_prefix(hides ? after + 1 : slash + 1);
  }
  return joined.append(text);
}

}  // namespace

// __PRETTY_FUNCTION__ names the location of a lambda, and __builtin_dump_struct that of an unnamed type.
bool names_its_place(std::string_view text) {
  constexpr std::string_view kSigns[] = {"__FILE",      "__BASE_FILE__",  "__TIMESTAMP__",   "__PRETTY_FUNCTION__",
                                         "__FUNCSIG__", "__builtin_FILE", "source_location", "__builtin_dump_struct",
                                         "??"};
  const std::string joined = with_joined_lines(text);
  return may_assert(joined) ||
         std::ranges::any_of(kSigns, [&](std::string_view sign) { return joined.find(sign) != joined.npos; });
}

std::string define_line(std::string_view define) {
  const std::size_t equals = define.find('=');
  const std::string name(define.substr(0, equals));
  return "#define " + name + " " + (equals == define.npos ? "1" : std::string(define.substr(equals + 1))) + "\n";
}

Dependencies scan_includes(std::span<const File> texts, std::span<const File> embedded, const IncludeSearch& search,
                           IncludeMemory& memory) {
  return Scan(embedded, search, memory).run(texts);
}

}  // namespace kmux
