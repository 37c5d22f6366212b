#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvidia/cubin.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST(Ptx, KernelsAreItsEntries) { EXPECT_THAT(ptx_kernels(kPtx), ElementsAre("first", "second")); }

TEST(Ptx, WithoutEntriesHasNoKernels) { EXPECT_THAT(ptx_kernels(".version 8.0\n.entryless x\n.entry"), IsEmpty()); }

TEST(Ptx, ArchitectureIsItsTarget) { EXPECT_EQ(ptx_arch(kPtx).value(), (Arch{80, '\0'})); }

TEST(Ptx, OtherTextIsRefused) {
  EXPECT_EQ(ptx_arch("hello").error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(ptx_arch(".target x").error().message, HasSubstr("the source is not PTX"));
}

}  // namespace
}  // namespace kmux::nvidia
