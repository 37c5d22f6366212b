#include "native_code.h"

#include <cstdio>
#include <stdexcept>

#include "kmux/plugin/process.h"

#include "../scratch.h"
#include "settings.h"

namespace kmux::bench::spmd {
namespace {

DynamicLibrary build(const std::string& compiler, const std::string& library) {
  const Command command{.argv = {compiler, "-std=c++20", "-O3", "-march=" + settings().march, "-shared", "-fPIC",
                                 std::string(KMUX_BENCH_SPMD) + "/native.cpp", KMUX_BENCH_GEMM, "-o", library}};
  const ProcessResult result = run(command).value();
  if (result.exit_code != 0) throw std::runtime_error(to_string(command) + "\n" + result.standard_error);
  return DynamicLibrary::open({library}).value();
}

std::vector<NativeCode> build_all() {
  const Scratch folder;
  std::vector<NativeCode> all;
  for (const std::string compiler : {"g++", "clang++-19"}) {
    if (find_program(compiler)) {
      all.push_back({compiler, build(compiler, folder / (compiler + ".so"))});
    } else {
      std::fprintf(stderr, "  no %s: the native code is the other compiler's\n", compiler.c_str());
    }
  }
  if (all.empty()) throw std::runtime_error("neither g++ nor clang++-19 is there");
  return all;
}

}  // namespace

NativeFunction NativeCode::function(const std::string& name) const {
  return reinterpret_cast<NativeFunction>(library.symbol(name).value());
}

const std::vector<NativeCode>& native_code() {
  static const std::vector<NativeCode>& all = *new std::vector<NativeCode>(build_all());
  return all;
}

}  // namespace kmux::bench::spmd
