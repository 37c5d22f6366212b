#include "built_in_headers.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace kmux::hip {
namespace {

constexpr const char* kEmpty = "\n";

std::vector<std::string> folders_of(const BuildOptions& options) {
  std::vector<std::string> folders = options.include_dirs;
  for (const std::string& flag : options.compile_flags) {
    if (flag.starts_with("-I")) folders.push_back(flag.substr(2));
  }
  return folders;
}

bool is_in_one(const std::vector<std::string>& folders, const char* path) {
  return std::ranges::any_of(folders, [path](const std::string& folder) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(folder) / path, error);
  });
}

std::string_view past_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first);
}

/// Takes `word` off the beginning of `text`, with the blanks before it.
bool take_word(std::string_view& text, std::string_view word) {
  text = past_blanks(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// The name of a line `#include <name>`; empty for any other line.
std::string angled_include(std::string_view line) {
  if (!take_word(line, "#") || !take_word(line, "include") || !take_word(line, "<")) return "";
  return std::string(line.substr(0, line.find('>')));
}

std::vector<std::string> angled_includes(const SourceUnit& unit) {
  std::vector<std::string> names;
  const auto read = [&](const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (std::string name = angled_include(line); !name.empty()) names.push_back(std::move(name));
    }
  };
  read(unit.text);
  for (const File& file : unit.files) read(file.content);
  return names;
}

}  // namespace

bool includes_others(const SourceUnit& unit, const BuildOptions& options) {
  const std::vector<File> given = files_for_hiprtc(unit, options);
  const std::vector<std::string> folders = folders_of(options);
  return std::ranges::any_of(angled_includes(unit), [&](const std::string& name) {
    return std::ranges::find(given, name, &File::path) == given.end() && !is_in_one(folders, name.c_str());
  });
}

std::vector<File> files_for_hiprtc(const SourceUnit& unit, const BuildOptions& options) {
  std::vector<File> files = unit.files;
  for (File& file : files) {
    if (file.content.empty()) file.content = kEmpty;
  }
  const std::vector<std::string> folders = folders_of(options);
  for (const char* header : kBuiltInHeaders) {
    const bool is_own = std::ranges::find(unit.files, header, &File::path) != unit.files.end();
    if (!is_own && !is_in_one(folders, header)) files.push_back({header, kEmpty});
  }
  return files;
}

}  // namespace kmux::hip
