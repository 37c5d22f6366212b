#include "headers.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace kmux::cpu {
namespace {

// The folders of "-I", after that of the program. One that is a system folder, too, counts as that only.
std::vector<std::string> search_order(const Unit& unit, const std::vector<std::string>& system_folders) {
  std::vector<std::string> folders = {"."};
  const auto is_system = [&](const std::string& folder) {
    std::error_code error;
    return std::ranges::any_of(
        system_folders, [&](const std::string& other) { return std::filesystem::equivalent(folder, other, error); });
  };
  for (const std::string& argument : unit.arguments) {
    if (argument.starts_with("-I") && !is_system(argument.substr(2))) folders.push_back(argument.substr(2));
  }
  folders.insert(folders.end(), system_folders.begin(), system_folders.end());
  return folders;
}

// What the arguments put before the source.
std::string preamble_of(const Unit& unit) {
  std::string text = "#include <stdc-predef.h>\n";  // GCC reads it without being asked
  for (std::size_t i = 0; i < unit.arguments.size(); ++i) {
    const std::string& argument = unit.arguments[i];
    if (argument.starts_with("-D")) text += define_line(std::string_view(argument).substr(2));
    if (argument == "-include" && i + 1 < unit.arguments.size()) text += "#include \"" + unit.arguments[i + 1] + "\"\n";
  }
  return text;
}

void add(std::vector<std::string>& all, const std::vector<std::string>& more) {
  std::vector<std::string> both;
  std::ranges::set_union(all, more, std::back_inserter(both));
  all = std::move(both);
}

}  // namespace

Result<std::optional<Dependencies>> Headers::scan(const CompileJob& job, const SystemFolders& system_folders) {
  const auto reads = [](const File& file) { return may_include(file.content); };
  if (std::ranges::none_of(job.files, reads)) return std::optional<Dependencies>();
  Dependencies all;
  for (const Unit& unit : job.units) {
    const auto source = std::ranges::find(job.files, unit.path, &File::path);
    if (source == job.files.end()) continue;
    KMUX_ASSIGN(const std::vector<std::string> system, system_folders(unit.language));
    const IncludeSearch search{{}, search_order(unit, system)};
    const std::vector<File> texts = {{"", preamble_of(unit)}, *source};
    const Dependencies found = scan_includes(texts, job.files, search, memory_);
    add(all.files, found.files);
    add(all.absent, found.absent);
    all.complete = all.complete && found.complete;
  }
  return std::optional(std::move(all));
}

std::string stamp_of(const Dependencies& dependencies) {
  constexpr std::size_t kFewest = 30;
  return dependencies.files.size() < kFewest ? "" : file_stamp(dependencies);
}

}  // namespace kmux::cpu
