#include "native_code.h"

#include "bars/settings.h"

namespace kmux::bench::spmd {
namespace {

std::vector<NativeCode> build_all() {
  std::vector<NativeCode> all;
  for (NativeLibrary& one : native_libraries(
           {"-march=" + setting("march", "native"), std::string(KMUX_BENCH_CPU) + "/native.cpp", KMUX_BENCH_GEMM})) {
    all.push_back({std::move(one)});
  }
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
