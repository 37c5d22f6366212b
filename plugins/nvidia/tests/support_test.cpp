#include "nvidia/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

namespace kmux::nvidia {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<MissingFeature> missing(const std::string& dialect, const std::string& arch) {
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {4}).variant(dialect).source("k", "");
  builder.launch("k").grid({2}).block({1}).cluster({2}).args({"x"});
  const Program program = builder.build().value();
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

}  // namespace
}  // namespace kmux::nvidia
