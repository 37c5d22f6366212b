#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/frontend/installation.h"

namespace kmux::simt {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

TEST(FindCpuTest, FindsThisMachine) { EXPECT_TRUE(find_cpu(host_cpu().name).has_value()); }

TEST(FindCpuTest, ListsFeaturesOfAArch64Names) {
  EXPECT_THAT(find_cpu("neoverse-v2")->features, IsSupersetOf({"neon", "sve", "sve2", "lse", "bf16", "i8mm"}));
  EXPECT_THAT(find_cpu("neoverse-n1")->features, Contains("dotprod"));
  EXPECT_THAT(find_cpu("neoverse-n1")->features, Not(Contains("sve")));
}

#if defined(__x86_64__)
TEST(FindCpuTest, ListsFeaturesOfX86Names) {
  EXPECT_THAT(find_cpu("x86-64-v3")->features, Contains("avx2"));
  EXPECT_THAT(find_cpu("x86-64")->features, Not(Contains("avx2")));
}

TEST(FindCpuTest, RejectsUnknownNames) {
  EXPECT_FALSE(find_cpu("x86-64-v9").has_value());
  EXPECT_FALSE(find_cpu("native").has_value());
  EXPECT_FALSE(find_cpu("").has_value());
}
#endif

}  // namespace
}  // namespace kmux::simt
