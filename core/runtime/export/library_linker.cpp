#include "library_linker.h"

#include <algorithm>
#include <filesystem>

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/words.h"

#include "library_facts.h"

namespace kmux {
namespace {

constexpr const char* kEntry = "kmux-entry.cpp";
constexpr const char* kExports = "kmux-exports.map";
constexpr const char* kLibrary = "kmux-library.so";

Error malformed_library(const std::string& why) {
  return make_error(ErrorCode::kInternal,
                    "a backend's parts of a library cannot be used (" + why + "). This is a bug of its plugin.");
}

// Letters, digits, '_', '-' and '.', neither '.' nor '-' first: nothing that a command line could take for more.
bool is_plain_file(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return !name.empty() && name.front() != '.' && name.front() != '-' && std::ranges::all_of(name, is_plain);
}

std::string export_map(const std::vector<std::string>& symbols) {
  std::string text = "{\n  global:\n";
  for (const std::string& symbol : symbols) text += "    " + symbol + ";\n";
  return text + "  local: *;\n};\n";
}

Status write_parts(const PrivateFolder& folder, const LibraryParts& parts) {
  for (const Artifact::Part& part : parts.backend.parts) {
    if (!is_plain_file(part.name)) return malformed_library("part \"" + part.name + "\" is no file name");
    KMUX_TRY(folder.write(part.name, part.content));
  }
  KMUX_TRY(folder.write(kEntry, parts.entry));
  return folder.write(kExports, export_map(parts.exported));
}

// What a process has anyway is loaded; of libstdc++ the library takes what it uses with it.
std::vector<std::string> arguments_of(const LibraryParts& parts) {
  std::vector<std::string> arguments = {"-std=c++17",
                                        "-O2",
                                        "-w",
                                        "-fPIC",
                                        "-shared",
                                        "-fvisibility=hidden",
                                        "-static-libgcc",
                                        "-static-libstdc++",
                                        "-Wl,--version-script=" + std::string(kExports),
                                        "-Wl,-z,defs",
                                        "-Wl,--as-needed",
                                        "-Wl,--gc-sections",
                                        "-Wl,-s",
                                        "-o",
                                        kLibrary,
                                        "launcher.cpp",
                                        kEntry};
  for (const Artifact::Part& part : parts.backend.parts) {
    if (part.name.ends_with(".o")) arguments.push_back(part.name);
  }
  for (const std::string& library : parts.libraries) arguments.push_back("-l" + library);
  arguments.emplace_back("-lm");
  return arguments;
}

Status run_compiler(const std::string& compiler, const PrivateFolder& folder, const LibraryParts& parts) {
  Command command = compiler_command({compiler}, folder.path());
  // Links were resolved, and clang++ is one: by its own name it would link as a compiler of C.
  if (std::filesystem::path(compiler).filename().string().starts_with("clang")) {
    command.argv.emplace_back("--driver-mode=g++");
  }
  for (std::string& argument : arguments_of(parts)) command.argv.push_back(std::move(argument));
  KMUX_ASSIGN(const ProcessResult result, run(command));
  if (result.exit_code == 0) return Ok{};
  return compile_error("cannot link the library", result.standard_error).with("command", to_string(command));
}

Status check_library(std::string_view bytes, const LibraryParts& parts) {
  KMUX_ASSIGN(const LibraryFacts facts, read_library_facts(bytes));
  if (facts.exported != parts.exported) {
    return malformed_library("the library exports " + join(facts.exported) + ", not " + join(parts.exported));
  }
  for (const std::string& library : facts.needed) {
    const bool is_refused = library.starts_with("libtvm_ffi") || library.starts_with("libkmux");
    if (is_refused) return malformed_library("the library needs " + library);
  }
  return Ok{};
}

}  // namespace

Result<std::string> link_library(const LibraryParts& parts, const std::string& compiler) {
  if (parts.backend.find("launcher.cpp") == nullptr) return malformed_library("there is no launcher.cpp");
  for (const std::string& library : parts.libraries) {
    if (!is_plain_file(library)) return malformed_library("\"" + library + "\" is no library");
  }
  KMUX_ASSIGN(const std::string program, find_host_compiler(compiler, "exporting"));
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-export"));
  KMUX_TRY(write_parts(folder, parts));
  KMUX_TRY(run_compiler(program, folder, parts));
  KMUX_ASSIGN(std::string bytes, read_file(std::filesystem::path(folder.path()) / kLibrary));
  KMUX_TRY(check_library(bytes, parts));
  return bytes;
}

}  // namespace kmux
