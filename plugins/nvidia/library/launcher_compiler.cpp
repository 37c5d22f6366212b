#include "launcher_compiler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/source_unit.h"

#include "launcher_text.h"

namespace kmux::nvidia {
namespace {

constexpr const char* kText = "kmux-launcher.cpp";
constexpr const char* kAssembly = "kmux-launcher.s";
constexpr const char* kLibrary = "kmux-launcher.so";
constexpr const char* kExports = "kmux-exports.map";
// Exports the launcher's symbols only, not those of the objects beside it.
constexpr std::string_view kExported =
    "{ global: init; call; get_last_error; kmux_launcher_*; __tvm_ffi_*; local: *; };\n";

}  // namespace

std::string LauncherCompiler::path_of(const char* name) const { return compilation_.folder().own() + "/" + name; }

Status LauncherCompiler::translate(std::string_view text) const {
  KMUX_ASSIGN(std::string source, compilation_.folder().write_own(kText, text));
  KMUX_TRY(compilation_.run("compile the launcher", compiler_,
                            {"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti",
                             "-fno-tree-slp-vectorize", "-S", "-o", path_of(kAssembly), std::move(source)}));
  return Ok{};
}

Result<std::string> LauncherCompiler::link(std::string_view cubin, const std::vector<std::string>& kernels,
                                           const std::vector<std::string>& symbols,
                                           const std::vector<Artifact::Part>& beside) const {
  KMUX_TRY(compilation_.folder().write_own(kCodeFile, cubin));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KMUX_TRY(compilation_.folder().write_own(symbol_file(i), symbols[i]));
  }
  std::vector<std::string> arguments = {"-shared", "-Wl,-z,defs",     "-Wl,-s",
                                        "-o",      path_of(kLibrary), path_of(kAssembly)};
  add_assembler_folder(arguments, compilation_.folder().own());
  arguments.emplace_back("-ldl");
  KMUX_TRY(add_files(beside, arguments));
  KMUX_TRY(compilation_.run("link the launcher", compiler_, std::move(arguments)));
  return read_file(path_of(kLibrary));
}

Status LauncherCompiler::add_files(const std::vector<Artifact::Part>& files,
                                   std::vector<std::string>& arguments) const {
  for (const Artifact::Part& file : files) {
    KMUX_ASSIGN(std::string path, compilation_.folder().write_own(file.name, file.content));
    if (file.name.ends_with(".o")) arguments.push_back(std::move(path));
  }
  if (files.empty()) return Ok{};
  KMUX_ASSIGN(const std::string exports, compilation_.folder().write_own(kExports, kExported));
  arguments.insert(arguments.end(), {"-Xlinker", "--version-script=" + exports});
  return Ok{};
}

Result<Compilation> Compilation::begin(const Host& host, const std::string& backend) {
  KMUX_ASSIGN(CompilationFolder folder, CompilationFolder::create("kmux-" + backend));
  return Compilation(host, std::move(folder));
}

Result<std::string> Compilation::run(std::string_view what, const std::string& program,
                                     std::vector<std::string> arguments, const Places& places) const {
  arguments.insert(arguments.begin(), program);
  Command command = compiler_command(std::move(arguments), folder_);
  if (!places.libraries.empty()) command.environment["LD_LIBRARY_PATH"] = places.libraries;
  std::ranges::copy(places.reads, std::back_inserter(command.confinement->reads));
  command.stopping = [host = host_] { return host.stopping(); };
  KMUX_ASSIGN(const ProcessResult result, kmux::run(command));
  std::string log = folder_.without_folders(result.standard_error + result.standard_output);
  if (result.exit_code == 0) return log;
  return compile_error("cannot " + std::string(what), log).with("command", to_string(command));
}

}  // namespace kmux::nvidia
