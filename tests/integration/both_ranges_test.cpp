// Stages in NVTX and in ROCTx, by fake libraries that record them.
#include <dlfcn.h>
#include <string>

#include <gtest/gtest.h>

#include "kmux/trace.h"

#include "system/trace_log.h"

namespace kmux {
namespace {

std::string told_to(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  const auto told = reinterpret_cast<const char* (*)()>(dlsym(library, "kmux_told"));
  return told();
}

TEST(BothRangesTest, ContainEveryStageAndPhase) {
  ASSERT_EQ(told_to(KMUX_FAKE_NVTX), "");
  ASSERT_EQ(told_to(KMUX_FAKE_ROCTX), "");
  show_stage_ranges(Environment::from({{"KMUX_NVTX", "1"}, {"KMUX_ROCTX", "1"}}));
  {
    const TraceSpan outer("build", "gemm");
    mark_phase_range(true, "link");
    const TraceSpan inner("load", "gemm");
  }
  for (const char* library : {KMUX_FAKE_NVTX, KMUX_FAKE_ROCTX}) {
    EXPECT_EQ(told_to(library), "build gemm(link(load gemm()))");
  }
}

}  // namespace
}  // namespace kmux
