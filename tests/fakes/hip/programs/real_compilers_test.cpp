// What the HIP on the CPU takes, AMD's own compiler takes: no header, type or function is there for tests alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "needs.h"
#include "programs/hip_texts.h"

namespace kmux {
namespace {

using testing::IsEmpty;

TEST(HipTexts, AreCompiledByAmdsCompiler) {
  if (const std::string why = missing_hip(kRealHip); !why.empty()) GTEST_SKIP() << needs("hiprtc", why);
  const HipTexts found = compile_hip_texts(kRealHip).value();
  EXPECT_THAT(found.failed, IsEmpty());
  EXPECT_THAT(found.refused, IsEmpty());
  EXPECT_EQ(found.by_hiprtc, found.texts);
  constexpr std::size_t kAtLeast = 50;  // there are more: what runs too few programs shows
  EXPECT_GE(found.texts, kAtLeast);
}

}  // namespace
}  // namespace kmux
