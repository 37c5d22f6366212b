// A kernel that is refused, on LLVM IR as text. What a failed run leaves is not printed by kmux-opt (ir/grid_refusal.ll
// has the message).
#include <string>

#include <gtest/gtest.h>

#include "kernel_ir.h"
#include "simt/pipeline.h"

namespace kmux::simt {
namespace {

TEST(RejectedKernelTest, StaysUnchanged) {
  KernelIr ir("define void @k(ptr %x, i32 %n) {\n  call void asm sideeffect \"bar.sync 0;\", \"\"()\n  ret void\n}\n");
  BlockExtents kernels;
  kernels["k"] = KnownExtents{64, 1, 1};
  const std::string before = text_of(ir.kernel());
  const auto lowered = lower_kernels(*ir.module, kernels, {});
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(text_of(ir.kernel()), before);
}

}  // namespace
}  // namespace kmux::simt
