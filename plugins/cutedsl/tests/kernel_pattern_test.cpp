#include "printed/kernel_pattern.h"

#include <vector>

#include <gtest/gtest.h>

namespace kmux::cutedsl {
namespace {

KernelMatch match(const char* pattern, const std::vector<const char*>& names) {
  return match_kernel(pattern, names.data(), names.size());
}

TEST(KernelPatternTest, MatchesPartOfName) {
  const KernelMatch found = match("scale", {"kernel_shift_x", "kernel_scale_x"});
  EXPECT_EQ(found.count, 1u);
  EXPECT_EQ(found.index, 1u);
}

TEST(KernelPatternTest, PrefersExactName) {
  const KernelMatch found = match("main_kernel", {"main_kernel_1", "main_kernel_2", "main_kernel"});
  EXPECT_EQ(found.count, 1u);
  EXPECT_EQ(found.index, 2u);
}

TEST(KernelPatternTest, MatchesSingleVariant) {
  const KernelMatch found = match("main_kernel", {"other", "main_kernel_1"});
  EXPECT_EQ(found.count, 1u);
  EXPECT_EQ(found.index, 1u);
}

TEST(KernelPatternTest, CountsEqualMatches) {
  EXPECT_EQ(match("scale", {"a_scale_x", "b_scale_y", "scale_1"}).count, 2u);
  EXPECT_EQ(match("scale", {"scale_1", "scale_2"}).count, 2u);
  EXPECT_EQ(match("scale", {"shift"}).count, 0u);
  EXPECT_EQ(match("scale", {}).count, 0u);
}

}  // namespace
}  // namespace kmux::cutedsl
