#include "kmux/plugin/support.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "nvidia/target.h"

namespace kmux::nvidia {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

std::vector<MissingFeature> missing(const std::string& dialect, const std::string& arch, Requires requirements = {}) {
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {4}).variant(dialect).source("k", "");
  builder.launch("k").grid({2}).block({1}).cluster({2}).args({"x"});
  Program program = builder.build().value();
  program.variants[0].requirements = std::move(requirements);
  return missing_support({program, 0, {"cuda", arch, {}}, {}}, "sample");
}

TEST(SupportTest, HasAllLaunchFeaturesExceptPackedValues) {
  EXPECT_THAT(launch_features(), Contains("tensor_map.im2col"));
  EXPECT_THAT(launch_features(), Not(Contains("packed_values")));
}

TEST(SupportTest, AcceptsCudaCubinAndPtxDialects) {
  for (const char* dialect : {"cuda", "cubin", "ptx"}) EXPECT_THAT(missing(dialect, "sm_90a"), IsEmpty()) << dialect;
  const auto other = missing("hip", "sm_90a");
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(other[0].path, "/variants/0/dialect");
  EXPECT_THAT(other[0].reason, HasSubstr("backend sample takes dialects cuda, cubin, ptx, not \"hip\""));
}

TEST(SupportTest, ReportsFeatureMissingFromArchitecture) {
  const auto lacking = missing("cuda", "sm_80");
  ASSERT_EQ(lacking.size(), 1U);
  EXPECT_EQ(lacking[0].feature, "cluster");
}

TEST(SupportTest, AcceptsAnyCompatibleArchitecture) {
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

// Returns the variants accepted for a target, each for one architecture, with the number of variants that fit it
// better.
std::vector<std::pair<std::size_t, std::size_t>> taken(const std::vector<std::pair<std::string, std::string>>& variants,
                                                       const std::string& arch) {
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {4});
  for (const auto& [dialect, wanted] : variants) {
    builder.variant(dialect).source("k", "");
    builder.launch("k").grid({2}).block({1}).args({"x"});
  }
  Program program = builder.build().value();
  for (std::size_t i = 0; i < variants.size(); ++i) program.variants[i].requirements.arch = {variants[i].second};
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const auto found = missing_support({program, i, {"cuda", arch, {}}, {}}, "sample");
    const auto fits = [](const MissingFeature& one) { return one.feature == kBetterFit; };
    if (std::ranges::all_of(found, fits)) taken.emplace_back(i, found.size());
  }
  return taken;
}

TEST(SupportTest, RanksBestFittingArchitectureFirst) {
  const std::vector<std::pair<std::string, std::string>> cubins = {{"cubin", "sm_80"}, {"cubin", "sm_86"},
                                                                   {"cubin", "sm_90"}, {"cubin", "sm_90a"},
                                                                   {"ptx", "sm_80"},   {"ptx", "sm_90"}};
  EXPECT_THAT(taken(cubins, "sm_80"), ElementsAre(Pair(0, 0), Pair(4, 0)));
  EXPECT_THAT(taken(cubins, "sm_87"), ElementsAre(Pair(0, 1), Pair(1, 0), Pair(4, 0)))
      << "of the same tens, and not newer";
  EXPECT_THAT(taken(cubins, "sm_89"), ElementsAre(Pair(0, 1), Pair(1, 0), Pair(4, 0)));
  EXPECT_THAT(taken(cubins, "sm_90a"), ElementsAre(Pair(2, 1), Pair(3, 0), Pair(4, 1), Pair(5, 0)));
  EXPECT_THAT(taken(cubins, "sm_100a"), ElementsAre(Pair(4, 1), Pair(5, 0))) << "no binary is for it";
  EXPECT_THAT(taken(cubins, "sm_75"), IsEmpty());
  EXPECT_THAT(taken({{"cubin", "sm_100f"}, {"cubin", "sm_100"}, {"cubin", "sm_103a"}}, "sm_103a"),
              ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 0)));
  EXPECT_THAT(taken({{"cubin", "sm_100"}, {"cubin", "sm_100f"}}, "sm_103a"), ElementsAre(Pair(0, 1), Pair(1, 0)));
  EXPECT_THAT(taken({{"cubin", "sm_86"}, {"cubin", "sm_86"}}, "sm_86"), ElementsAre(Pair(0, 0), Pair(1, 0)))
      << "the order decides";
  EXPECT_THAT(taken({{"cuda", "sm_80"}, {"cuda", "sm_90"}}, "sm_90a"), ElementsAre(Pair(0, 1), Pair(1, 0)));
}

TEST(SupportTest, AcceptsFatbinPtxOnNewerDevices) {
  const std::vector<std::pair<std::string, std::string>> fatbins = {{"cubin", "compute_86"}, {"cubin", "sm_80"}};
  EXPECT_THAT(taken(fatbins, "sm_89"), ElementsAre(Pair(0, 1), Pair(1, 0))) << "binary code first";
  EXPECT_THAT(taken(fatbins, "sm_90a"), ElementsAre(Pair(0, 0)));
  EXPECT_THAT(taken({{"ptx", "compute_80"}, {"ptx", "sm_80"}}, "sm_90a"), ElementsAre(Pair(0, 0), Pair(1, 0)));
}

TEST(SupportTest, ReportsBetterFittingVariant) {
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {4});
  for (int i = 0; i < 2; ++i) {
    builder.variant("cubin").source("k", "");
    builder.launch("k").grid({2}).block({1}).args({"x"});
  }
  Program program = builder.build().value();
  program.variants[0].requirements.arch = {"sm_80"};
  program.variants[1].requirements.arch = {"sm_86"};
  const auto better = missing_support({program, 0, {"cuda", "sm_89", {}}, {}}, "sample");
  EXPECT_THAT(better, ElementsAre(MissingFeature{"better_fit", "/variants/1",
                                                 "variant 1 fits \"sm_89\" better (it is for sm_86, this one for "
                                                 "sm_80)"}));
}

TEST(SupportTest, ReportsCpuFeatureAsMissing) {
  const auto lacking = missing("cuda", "sm_90a", {{}, {"avx2"}});
  ASSERT_EQ(lacking.size(), 1U);
  EXPECT_EQ(lacking[0].feature, "avx2");
}

}  // namespace
}  // namespace kmux::nvidia
