// The installed NVTX, with a recording profiler behind it (NVTX_INJECTION64_PATH, see CMakeLists.txt), and the
// installed ROCTx.
#include <dlfcn.h>
#include <string>

#include <gtest/gtest.h>

#include "kmux/plugin/profiler_ranges.h"
#include "kmux/trace.h"

#include "needs.h"
#include "system/trace_log.h"

namespace kmux {
namespace {

TEST(RealRangesTest, ReachProfiler) {
  if (!open_profiler_ranges(kNvtx).are_open()) {
    GTEST_SKIP() << needs("NVTX", "install a CUDA toolkit, or nvidia-nvtx from PyPI where the loader finds it");
  }
  show_stage_ranges(Environment::from({{"KMUX_NVTX", "1"}}));
  {
    const TraceSpan outer("build", "gemm");
    const TraceSpan inner("load", "gemm");
  }
  void* const profiler = dlopen(KMUX_FAKE_PROFILER, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(profiler, nullptr) << "NVTX has not opened it";
  const auto told = reinterpret_cast<const char* (*)()>(dlsym(profiler, "kmux_told"));
  ASSERT_NE(told, nullptr);
  EXPECT_STREQ(told(), "build gemm(load gemm())");
}

// ROCTx returns the depth of a range.
TEST(RealRangesTest, NestInRoctx) {
  const ProfilerRanges ranges = open_profiler_ranges(kRoctx);
  if (!ranges.are_open()) GTEST_SKIP() << needs("ROCTx", "Debian 13: apt-get install libroctx64-4");
  EXPECT_EQ(ranges.push("outer"), 0);
  EXPECT_EQ(ranges.push("inner"), 1);
  EXPECT_EQ(ranges.pop(), 1);
  EXPECT_EQ(ranges.pop(), 0);
  EXPECT_LT(ranges.pop(), 0);
}

}  // namespace
}  // namespace kmux
