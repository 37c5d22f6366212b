// device_suite --programs DIR --headers DIR [--headers DIR...] [--modules DIR] [--driver libcuda.so.1] [gtest flags]
//
// Tests every feature of the plugins for NVIDIA's devices: computes on the device and compares with the host. With
// --driver it is a rehearsal over that library (tests/fakes/cuda): compiles and launches everything, compares nothing.
#include <cstdio>
#include <dlfcn.h>

#include "suite.h"

namespace kmux::suite {
namespace {

constexpr int kAllSkipped = 77;  // ctest counts this as a skip

bool parse(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return false;
    if (words[i] == "--programs") {
      settings().programs = words[i + 1];
    } else if (words[i] == "--headers") {
      settings().headers.push_back(words[i + 1]);
    } else if (words[i] == "--modules") {
      settings().modules = words[i + 1];
    } else if (words[i] == "--driver") {
      // A later open of libcuda.so.1 returns the library of that name that is already open.
      if (dlopen(words[i + 1].c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) return std::puts(dlerror()), false;
      settings().rehearsal = true;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace kmux::suite

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!kmux::suite::parse({argv + 1, argv + argc})) {
    std::fputs("usage: device_suite --programs DIR --headers DIR... [--modules DIR] [--driver LIBRARY] [gtest flags]\n",
               stderr);
    return 2;
  }
  const int status = RUN_ALL_TESTS();
  const bool all_skipped = testing::UnitTest::GetInstance()->successful_test_count() == 0;
  return status == 0 && all_skipped ? kmux::suite::kAllSkipped : status;
}
