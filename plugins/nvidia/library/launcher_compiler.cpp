#include "launcher_compiler.h"

#include <filesystem>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/source_unit.h"

#include "launcher_text.h"

namespace kmux::nvidia {
namespace {

constexpr const char* kText = "kmux-launcher.cpp";
constexpr const char* kAssembly = "kmux-launcher.s";
constexpr const char* kLibrary = "kmux-launcher.so";

}  // namespace

Status LauncherCompiler::translate(std::string_view text) const {
  KMUX_TRY(compilation_.folder().write(kText, text));
  KMUX_TRY(compilation_.run("compile the launcher", compiler_,
                            {"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti",
                             "-fno-tree-slp-vectorize", "-S", "-o", kAssembly, kText}));
  return Ok{};
}

Result<std::string> LauncherCompiler::link(std::string_view cubin, const std::vector<std::string>& kernels,
                                           const std::vector<std::string>& symbols) const {
  KMUX_TRY(compilation_.folder().write(kCodeFile, cubin));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KMUX_TRY(compilation_.folder().write(symbol_file(i), symbols[i]));
  }
  KMUX_TRY(compilation_.run("link the launcher", compiler_,
                            {"-shared", "-Wl,-z,defs", "-Wl,-s", "-o", kLibrary, kAssembly, "-ldl"}));
  return read_file(std::filesystem::path(compilation_.folder().path()) / kLibrary);
}

}  // namespace kmux::nvidia
