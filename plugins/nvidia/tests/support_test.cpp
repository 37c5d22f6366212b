#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "nvidia/target.h"

namespace kmux::nvidia {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<MissingFeature> missing(const std::string& dialect, const std::string& arch, Requires requirements = {}) {
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {4}).variant(dialect).source("k", "");
  builder.launch("k").grid({2}).block({1}).cluster({2}).args({"x"});
  Program program = builder.build().value();
  program.variants[0].requirements = std::move(requirements);
  return missing_support({program, 0, {"cuda", arch, {}}, {}}, "sample");
}

TEST(Support, HasEveryFeatureButMetals) {
  EXPECT_THAT(launch_features(), Contains("tensor_map.im2col"));
  EXPECT_THAT(launch_features(), Not(Contains("packed_values")));
}

TEST(Support, TakesThreeDialects) {
  for (const char* dialect : {"cuda", "cubin", "ptx"}) EXPECT_THAT(missing(dialect, "sm_90a"), IsEmpty()) << dialect;
  const auto other = missing("hip", "sm_90a");
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(other[0].path, "/variants/0/dialect");
  EXPECT_THAT(other[0].reason, HasSubstr("backend sample takes dialects cuda, cubin, ptx, not \"hip\""));
}

TEST(Support, NamesWhatTheArchitectureLacks) {
  const auto lacking = missing("cuda", "sm_80");
  ASSERT_EQ(lacking.size(), 1U);
  EXPECT_EQ(lacking[0].feature, "cluster");
}

TEST(Support, AnyOfTheArchitecturesWillDo) {
  const auto lacking = [](const std::vector<std::string>& archs, const std::string& arch) {
    return missing("cuda", arch, {archs, {}});
  };
  EXPECT_THAT(lacking({"sm_100a", "sm_90"}, "sm_90a"), IsEmpty());
  EXPECT_THAT(lacking({"sm_90a"}, "sm_90a"), IsEmpty());
  for (const auto& [wanted, arch] : {std::pair("sm_90a", "sm_90"), {"sm_90a", "sm_100a"}, {"gfx942", "sm_90a"}}) {
    ASSERT_EQ(lacking({wanted}, arch).size(), 1U) << wanted;
    EXPECT_EQ(lacking({wanted}, arch)[0].feature, "arch");
  }
}

TEST(Support, HasNoFeaturesOfOtherMachines) {
  const auto lacking = missing("cuda", "sm_90a", {{}, {"avx2"}});
  ASSERT_EQ(lacking.size(), 1U);
  EXPECT_EQ(lacking[0].feature, "avx2");
}

}  // namespace
}  // namespace kmux::nvidia
