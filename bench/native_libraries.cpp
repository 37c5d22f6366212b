#include "native_libraries.h"

#include <cstdio>
#include <stdexcept>

#include "kmux/plugin/process.h"

#include "scratch.h"

namespace kmux::bench {
namespace {

DynamicLibrary build(const std::string& compiler, const std::vector<std::string>& arguments,
                     const std::string& library) {
  Command command{.argv = {compiler, "-std=c++20", "-O3", "-shared", "-fPIC", "-o", library}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  const ProcessResult result = run(command).value();
  if (result.exit_code != 0) throw std::runtime_error(to_string(command) + "\n" + result.standard_error);
  return DynamicLibrary::open({library}).value();
}

}  // namespace

std::vector<NativeLibrary> native_libraries(const std::vector<std::string>& arguments) {
  const Scratch folder;
  std::vector<NativeLibrary> all;
  for (const std::string compiler : {"g++", "clang++-19"}) {
    if (find_program(compiler)) {
      all.push_back({compiler, build(compiler, arguments, folder / (compiler + ".so"))});
    } else {
      std::fprintf(stderr, "  no %s: the native code is the other compiler's\n", compiler.c_str());
    }
  }
  if (all.empty()) throw std::runtime_error("neither g++ nor clang++-19 is there");
  return all;
}

}  // namespace kmux::bench
