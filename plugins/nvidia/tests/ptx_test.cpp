#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvidia/cubin.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

constexpr const char* kPtx = R"(
// .target sm_35   .entry commented(
/* .entry gone( */
.version 8.0
.target sm_80, debug
.address_size 64
.visible .entry second(
  .param .u64 second_param_0
)
{ ret; }
.entry first ( .param .u32 n ) { ret; }
.func helper() { ret; }
)";

TEST(PtxTest, ListsEntriesAsKernels) { EXPECT_THAT(ptx_kernels(kPtx), ElementsAre("first", "second")); }

TEST(PtxTest, HasNoKernelsWithoutEntries) { EXPECT_THAT(ptx_kernels(".version 8.0\n.entryless x\n.entry"), IsEmpty()); }

TEST(PtxTest, ListsVariablesOutsideFunctions) {
  std::vector<std::string> names;
  for (const CodeVariable& variable : ptx_variables(R"(
.version 8.0
.const .align 4 .b8 weights[16] = {1, 2};
.visible .const .align 4 .u32 three = 3;
.extern .global .align 4 .f32 elsewhere;
.global .align 4 .f32 _ZN7filters4biasE;
.visible .entry k(.param .u64 .ptr .global .align 4 x) { .shared .align 4 .b8 tile[4]; cvta.to.global.u64 %rd1, %rd2; ret; }
.const .f32 last;
)"))
    names.push_back(variable.symbol);
  EXPECT_THAT(names, ElementsAre("weights", "three", "_ZN7filters4biasE", "last"));
}

TEST(PtxTest, ReadsArchitectureFromTarget) { EXPECT_EQ(ptx_arch(kPtx).value(), (Arch{80, '\0'})); }

TEST(PtxTest, ReadsParametersFromDeclarations) {
  constexpr const char* kMany = R"(
.visible .entry scale_all(.param .u64 other) { ret; }
.visible .entry scale(
    .param .u64 scale_param_0, // .param .u8 commented
    .param .u64 .ptr .global .align 16 scale_param_1,
    .param .align 64 .b8 scale_param_2[128],
    .param .f32 scale_param_3, .param .f64 d,.param .f16 h,
    .param .u8 scale_param_6
)
.maxntid 128, 1, 1
{ ret; }
.entry none() { ret; }
.entry bare
{ ret; }
.entry strange(.param .what x) { ret; }
)";
  constexpr auto kAny = ArgumentKind::kUnknown;
  EXPECT_THAT(ptx_parameters(kMany, "scale"),
              Optional(ElementsAre(KernelArgument{8}, KernelArgument{8, ArgumentKind::kPointer, "pointer"},
                                   KernelArgument{128}, KernelArgument{4, ArgumentKind::kFloat, "float32"},
                                   KernelArgument{8, ArgumentKind::kFloat, "float64"}, KernelArgument{2, kAny},
                                   KernelArgument{1})));
  EXPECT_THAT(ptx_parameters(kMany, "scale_all"), Optional(ElementsAre(KernelArgument{8})));
  EXPECT_THAT(ptx_parameters(kMany, "none"), Optional(IsEmpty()));
  EXPECT_THAT(ptx_parameters(kMany, "bare"), Optional(IsEmpty()));
  EXPECT_EQ(ptx_parameters(kMany, "strange"), std::nullopt);
  EXPECT_EQ(ptx_parameters(kMany, "scal"), std::nullopt);
  EXPECT_EQ(ptx_parameters(".entry", "k"), std::nullopt);
  EXPECT_EQ(ptx_parameters(".entry k", "k"), std::nullopt);
  EXPECT_EQ(ptx_parameters(".entry k(.param .u64", "k"), std::nullopt);
}

TEST(PtxTest, RejectsInvalidText) {
  EXPECT_EQ(ptx_arch("hello").error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(ptx_arch(".target x").error().message, HasSubstr("the source is not PTX"));
}

}  // namespace
}  // namespace kmux::nvidia
