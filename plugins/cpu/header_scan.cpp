#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "kmux/plugin/relocatable.h"

#include "headers.h"
#include "simt/frontend/job.h"

namespace kmux::cpu {
namespace {

// Returns the folder of the program, those of "-I", and the system's. A "-I" folder that is also a system folder counts
// only as the latter.
std::vector<std::string> search_order(const simt::Unit& unit, const std::vector<std::string>& system_folders) {
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

// Returns the text that the arguments put before the source.
std::string preamble_of(const simt::Unit& unit) {
  std::string text = "#include <stdc-predef.h>\n";  // GCC always reads it
  for (std::size_t i = 0; i < unit.arguments.size(); ++i) {
    const std::string& argument = unit.arguments[i];
    if (argument.starts_with("-D")) text += define_line(std::string_view(argument).substr(2));
    if (argument == "-include" && i + 1 < unit.arguments.size()) text += "#include \"" + unit.arguments[i + 1] + "\"\n";
  }
  return text;
}

}  // namespace

namespace {

// Returns the places searched for includes of host code: whether a folder has such a header decides if its #include is
// removed. Includes that cannot be followed there affect the host only.
Dependencies places_of_cut_includes(const simt::CompileJob& job, const IncludeSearch& search, IncludeMemory& memory) {
  Dependencies places = scan_includes(job.uncut, job.uncut, search, memory);
  places.complete = true;
  return places;
}

}  // namespace

Result<std::optional<Dependencies>> Headers::scan(const simt::CompileJob& job, const SystemFolders& system_folders) {
  const auto reads = [](const File& file) { return may_include(file.content); };
  if (std::ranges::none_of(job.files, reads) && std::ranges::none_of(job.uncut, reads))
    return std::optional<Dependencies>();
  Dependencies all;
  for (const simt::Unit& unit : job.units) {
    const auto source = std::ranges::find(job.files, unit.path, &File::path);
    if (source == job.files.end()) continue;
    KMUX_ASSIGN(const std::vector<std::string> system, system_folders(unit.language));
    const IncludeSearch search{{}, search_order(unit, system)};
    const std::vector<File> texts = {{"", preamble_of(unit)}, *source};
    add(all, scan_includes(texts, job.files, search, memory_));
    if (!job.uncut.empty()) add(all, places_of_cut_includes(job, search, memory_));
  }
  return std::optional(std::move(all));
}

void leave_out(Dependencies& dependencies, const std::string& folder) {
  const auto is_below = [&](const std::string& path) { return path.starts_with(folder + "/"); };
  Dependencies kept{.complete = dependencies.complete, .tells_places = dependencies.tells_places};
  if (dependencies.seen) kept.seen.emplace();
  for (std::size_t i = 0; i < dependencies.files.size(); ++i) {
    if (is_below(dependencies.files[i])) continue;
    kept.files.push_back(dependencies.files[i]);
    if (kept.seen) kept.seen->files.push_back(dependencies.seen->files[i]);
  }
  std::ranges::remove_copy_if(dependencies.absent, std::back_inserter(kept.absent), is_below);
  if (kept.seen)
    std::ranges::remove_copy_if(dependencies.seen->passed, std::back_inserter(kept.seen->passed), is_below);
  dependencies = std::move(kept);
}

std::string stamp_of(const Dependencies& dependencies) {
  constexpr std::size_t kFewest = 30;
  return dependencies.files.size() < kFewest ? "" : file_stamp(dependencies);
}

// Functions of this backend's own headers receive their caller's line, so the object itself is searched.
bool is_relocatable(const Variant& variant, const BuildOptions& options, const Dependencies& headers,
                    const simt::CompiledObject& compiled) {
  if (options.engine != Engine::kClang || options.check.memory || !compiled.on_fibers.empty()) return false;
  return kmux::is_relocatable(variant, options.include_dirs, options.compile_flags, headers, compiled.object);
}

}  // namespace kmux::cpu
