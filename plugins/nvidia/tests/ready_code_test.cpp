#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cubin_example.h"
#include "nvidia/cubin.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Arch kReadyArch{90, 'a'};
constexpr const char* kReadyPtx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

Variant ready(const std::string& dialect, std::string content) {
  Variant variant;
  variant.dialect = dialect;
  variant.sources = {{"k." + dialect, std::move(content)}};
  return variant;
}

Plan ready_plan(const std::string& kernel) {
  Plan plan;
  plan.kernels = {kernel};
  return plan;
}

std::string cubin() { return CubinExample{{{"k"}}}.bytes(); }

TEST(ReadyCodeTest, ReturnsKernelSymbols) {
  EXPECT_THAT(check_ready_code(ready("cubin", cubin()), kReadyArch, ready_plan("k")).value(), ElementsAre("k"));
  EXPECT_THAT(check_ready_code(ready("ptx", kReadyPtx), kReadyArch, ready_plan("k")).value(), ElementsAre("k"));
}

TEST(ReadyCodeTest, RejectsOtherArchitecture) {
  const auto refused = check_ready_code(ready("cubin", cubin()), {100, 'a'}, ready_plan("k"));
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("source \"k.cubin\" is for sm_90a"), HasSubstr("the target is sm_100a")));
  EXPECT_EQ(check_ready_code(ready("ptx", kReadyPtx), {75, '\0'}, ready_plan("k")).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(ReadyCodeTest, RejectsMissingKernel) {
  EXPECT_EQ(check_ready_code(ready("cubin", cubin()), kReadyArch, ready_plan("other")).error().code,
            ErrorCode::kCompileFailed);
  EXPECT_EQ(check_ready_code(ready("ptx", kReadyPtx), kReadyArch, ready_plan("other")).error().code,
            ErrorCode::kCompileFailed);
}

// C3.3
TEST(ReadyCodeTest, RejectsArgumentMismatch) {
  CubinExample::Symbol symbol{"k"};
  symbol.parameters = {8};
  Plan plan = ready_plan("k");
  plan.steps.emplace_back(PlanLaunch{});
  const auto refused = check_ready_code(ready("cubin", CubinExample{{symbol}}.bytes()), kReadyArch, plan);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("with 0 arguments (its code takes 1 argument of 8 bytes)"));
  const std::string ptx = ".version 8.0\n.target sm_80\n.entry k(.param .u64 .ptr x) { ret; }\n";
  const auto refused_ptx = check_ready_code(ready("ptx", ptx), kReadyArch, plan);
  EXPECT_EQ(refused_ptx.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused_ptx.error().message, HasSubstr("(its code takes 1 argument of 8 bytes: pointer)"));
}

TEST(ReadyCodeTest, RejectsWrongFormat) {
  EXPECT_THAT(check_ready_code(ready("cubin", kReadyPtx), kReadyArch, ready_plan("k")).error().message,
              HasSubstr("is not a cubin"));
  EXPECT_THAT(check_ready_code(ready("ptx", cubin()), kReadyArch, ready_plan("k")).error().message,
              HasSubstr("is not PTX"));
}

}  // namespace
}  // namespace kmux::nvidia
