// NVTX requested but not installed: the loader finds an invalid library under its names (see CMakeLists.txt).
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/log.h"
#include "kmux/trace.h"

#include "system/trace_log.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MissingRangesTest, AreReportedOnceWithoutFailure) {
  std::vector<std::string> lines;
  show_stage_ranges(Environment::from({{"KMUX_NVTX", "1"}}));
  set_log_sink(LogLevel::kWarning, [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  {
    const TraceSpan span("build", "gemm");
  }
  {
    const TraceSpan span("load", "gemm");
  }
  mark_phase_range(false, "link");
  set_log_sink(LogLevel::kDebug, {});
  EXPECT_THAT(lines, ElementsAre(HasSubstr("no NVTX ranges (neither \"libnvtx3interop.so.1\" nor")));
  EXPECT_LT(begin_stage_range("build", "gemm"), 0);
}

}  // namespace
}  // namespace kmux
