// AMD's own compiler accepts all code that the HIP on the CPU accepts: no header, type or function exists for tests
// alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "needs.h"
#include "programs/hip_texts.h"

namespace kmux {
namespace {

using testing::IsEmpty;

TEST(HipTextsTest, CompileWithAmdCompiler) {
  if (const std::string why = missing_hip(kRealHip); !why.empty()) GTEST_SKIP() << needs("hiprtc", why);
  const HipTexts found = compile_hip_texts(kRealHip).value();
  EXPECT_THAT(found.failed, IsEmpty());
  EXPECT_THAT(found.refused, IsEmpty());
  EXPECT_EQ(found.by_hiprtc, found.texts);
  constexpr std::size_t kAtLeast = 50;  // the tree has more: detects a run of too few programs
  EXPECT_GE(found.texts, kAtLeast);
}

}  // namespace
}  // namespace kmux
