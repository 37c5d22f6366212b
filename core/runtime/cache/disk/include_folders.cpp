#include "include_folders.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

// The folders of compiler and C library headers on every machine.
constexpr std::string_view kSystem[] = {"/usr", "/include"};

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_plain(std::string_view path) {
  return path.find("//") == path.npos && (std::string(path) + "/").find("/../") == std::string::npos &&
         (std::string(path) + "/").find("/./") == std::string::npos;
}

bool is_shareable(const std::string& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error || !fs::is_directory(real, error)) return false;
  const auto is_apart = [](const std::string& path) {
    return path != "/" && std::ranges::none_of(kSystem, [&](std::string_view system) {
             return is_below(path, system) || is_below(system, path);
           });
  };
  return is_apart(folder) && is_apart(real.string());
}

/// Returns the folder with the longest name that contains `path`, other than `except`.
std::optional<std::size_t> folder_with(std::string_view path, const IncludeFolders& folders, std::size_t except) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (i == except || !is_below(path, folders[i])) continue;
    if (!found || folders[i].size() > folders[*found].size()) found = i;
  }
  return found;
}

std::string in_position(std::string_view path, std::size_t index, const IncludeFolders& folders) {
  path.remove_prefix(std::min(folders[index].size() + 1, path.size()));
  return std::to_string(index).append("/").append(path);
}

bool make_relative(std::string& path, const IncludeFolders& folders) {
  if (!is_plain(path)) return false;
  const std::optional<std::size_t> index = folder_with(path, folders, folders.size());
  if (!index) return std::ranges::any_of(kSystem, [&](std::string_view system) { return is_below(path, system); });
  path = in_position(path, *index, folders);
  return true;
}

bool resolve(std::string& path, const IncludeFolders& folders) {
  if (path.starts_with('/')) return true;
  std::size_t index = 0;
  const char* const end = path.data() + path.size();
  const auto [rest, error] = std::from_chars(path.data(), end, index);
  if (error != std::errc() || rest == end || *rest != '/' || index >= folders.size() || !is_plain(path)) return false;
  const std::string name(rest + 1, end);
  path = name.empty() ? folders[index] : folders[index] + "/" + name;
  return true;
}

/// Changes all paths and sorts by the results, so that equal states have equal texts wherever their folders are.
template <class Change>
std::optional<DependencyState> with_paths(DependencyState state, const Change& change) {
  bool good = true;
  for (DependencyState::File& file : state.files) good = good && change(file.path);
  for (DependencyState::Folder& folder : state.folders) {
    good = good && change(folder.path);
    for (std::string& path : folder.absent) good = good && change(path);
    for (std::string& path : folder.passed) good = good && change(path);
  }
  if (!good) return std::nullopt;
  std::ranges::sort(state.files, {}, &DependencyState::File::path);
  std::ranges::sort(state.folders, {}, &DependencyState::Folder::path);
  return state;
}

}  // namespace

IncludeFolders shareable_folders(const std::string& lines) {
  IncludeFolders folders;
  for (const std::string& line : split_lines(lines)) {
    const fs::path given(line);
    if (std::ranges::find(given, fs::path("..")) != given.end()) return {};
    std::error_code error;
    std::string folder = fs::absolute(given, error).lexically_normal().string();
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (error || !is_shareable(folder)) return {};
    folders.push_back(std::move(folder));
  }
  return folders;
}

std::string positions_of(const IncludeFolders& folders) {
  std::string text;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::optional<std::size_t> outer = folder_with(folders[i], folders, i);
    text += std::to_string(i) + (outer ? " in " + in_position(folders[i], *outer, folders) : "") + "\n";
  }
  return text;
}

std::optional<DependencyState> relative_to(const IncludeFolders& folders, DependencyState state) {
  if (!are_distinct(state)) return std::nullopt;
  return with_paths(std::move(state), [&](std::string& path) { return make_relative(path, folders); });
}

std::optional<DependencyState> resolved_in(const IncludeFolders& folders, DependencyState state) {
  return with_paths(std::move(state), [&](std::string& path) { return resolve(path, folders); });
}

bool are_distinct(const DependencyState& state) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> files;
  return std::ranges::all_of(state.files, [&](const DependencyState::File& file) {
    const FileIdentity now = FileIdentity::of(file.path);
    return files.emplace(now.device, now.inode).second;
  });
}

}  // namespace kmux
