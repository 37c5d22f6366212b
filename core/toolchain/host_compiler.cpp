#include "kmux/plugin/host_compiler.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/platform.h"

namespace kmux {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";

}  // namespace

Result<std::string> find_host_compiler(const std::string& asked, std::string_view user) {
  std::vector<std::string> names = {"c++", "g++", "clang++"};
  if (!asked.empty()) names = {asked};
  std::error_code error;
  for (const std::string& name : names) {
    const bool is_path = name.find('/') != std::string::npos;
    const auto found = is_path ? std::optional(name) : find_program(name);
    const fs::path real = found ? fs::canonical(*found, error) : fs::path();
    if (found && !error) return real.string();
  }
  return make_error(ErrorCode::kUnavailable, "no C++ compiler was found (looked for \"" + names.front() + "\"; " +
                                                 std::string(user) + " needs one). Install it: apt-get install g++.");
}

Command compiler_command(std::vector<std::string> argv, const CompilationFolder& folder) {
  Command command{
      std::move(argv), folder.empty(), {{"LC_ALL", "C"}, {"TMPDIR", folder.scratch()}, {"HOME", folder.scratch()}}};
  command.inherited = {"PATH", kLibraryPath};
  command.confinement = {.reads = system_reads(), .writes = user_writes()};
  command.confinement->writes.insert(command.confinement->writes.end(), {folder.own(), folder.scratch()});
  std::vector<std::string>& reads = command.confinement->reads;
  if (!command.argv.empty()) reads.push_back(installation_of(command.argv.front()));
  reads.insert(reads.end(), {folder.program(), folder.unit(), folder.empty()});
  return command;
}

std::string inherited_library_path() {
  const char* const folders = has_added_rights() ? nullptr : std::getenv(kLibraryPath);
  return absolute_folders(folders == nullptr ? "" : folders);
}

void add_assembler_folder(std::vector<std::string>& arguments, const std::string& folder) {
  arguments.insert(arguments.end(), {"-Xassembler", "-I" + folder});
}

Json identify_compiler(const std::string& program) {
  Json identity = identify_file(program);
  for (const char* tool : {"as", "ld"}) {
    if (const auto found = find_program(tool)) identity[tool] = identify_file(*found);
  }
  if (std::string folders = inherited_library_path(); !folders.empty()) identity[kLibraryPath] = std::move(folders);
  return identity;
}

}  // namespace kmux
