#include "kmux/plugin/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SupportTest : public testing::Test {
 protected:
  std::vector<MissingFeature> missing() const { return missing_of(support, {program, 0, {"toy", "t1"}, {}}); }

  Program program = [] {
    ProgramBuilder builder("sample");
    builder.input("x", dtype::kFloat32, {4}).variant("cuda").source("k.cu", "");
    builder.launch("k").grid({2}).block({1}).args({"x"});
    return builder.build().value();
  }();
  Support support{"toy", {"c", "cuda"}, {"grid"}};
};

TEST_F(SupportTest, ReportsNothingForSupportedProgram) { EXPECT_THAT(missing(), IsEmpty()); }

TEST_F(SupportTest, ReportsMissingBodyFeature) {
  support.features = {};
  ASSERT_EQ(missing().size(), 1U);
  EXPECT_EQ(missing()[0].feature, "grid");
}

TEST_F(SupportTest, ReportsUnsupportedDialect) {
  support.dialects = {"c", "msl"};
  EXPECT_THAT(missing(), ElementsAre(MissingFeature{"dialect", "/variants/0/dialect",
                                                    "backend toy takes dialects c, msl, not \"cuda\""}));
}

TEST_F(SupportTest, RequiresAnyListedArchitecture) {
  program.variants[0].requirements.arch = {"t1", "t2"};
  EXPECT_THAT(missing(),
              ElementsAre(MissingFeature{"arch", "/variants/0/requires/arch", "backend toy names no architectures"}));
  support.has_arch = [](const std::string& arch) { return arch == "t2"; };
  EXPECT_THAT(missing(), IsEmpty());
  support.has_arch = [](const std::string&) { return false; };
  EXPECT_THAT(missing(), ElementsAre(MissingFeature{"arch", "/variants/0/requires/arch",
                                                    "\"t1\" is not one that the variant is for"}));
}

TEST_F(SupportTest, ReportsEachMissingDeviceFeature) {
  program.variants[0].requirements.features = {"avx2", "amx"};
  EXPECT_EQ(missing().size(), 2U);
  EXPECT_EQ(missing()[0].reason, "backend toy names no such feature");
  support.has_feature = [](const std::string& feature) { return feature == "avx2"; };
  EXPECT_THAT(missing(),
              ElementsAre(MissingFeature{"amx", "/variants/0/requires/features", "\"t1\" does not have it"}));
}

}  // namespace
}  // namespace kmux
