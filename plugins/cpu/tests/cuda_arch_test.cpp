// SPDX-License-Identifier: Apache-2.0
#include "cuda_arch.h"

#include <gtest/gtest.h>

namespace kmux::cpu {
namespace {

CudaArch arch_of(std::vector<std::string> names) {
  Variant variant;
  variant.requirements.arch = std::move(names);
  return cuda_arch_of(variant);
}

TEST(CudaArchTest, IsRequiredArchitecture) {
  EXPECT_EQ(arch_of({"sm_90a"}), (CudaArch{900, true}));
  EXPECT_EQ(arch_of({"sm_90"}), (CudaArch{900, false}));
  EXPECT_EQ(arch_of({"sm_89"}), (CudaArch{890, false}));
  EXPECT_EQ(arch_of({"sm_80", "sm_90a"}), (CudaArch{800, false}));
  EXPECT_EQ(arch_of({"sm_100a", "sm_70", "sm_90a"}), (CudaArch{900, true}));
}

TEST(CudaArchTest, OtherArchitecturesCompileFor700) {
  EXPECT_EQ(arch_of({}), CudaArch{});
  for (const char* const name :
       {"sm_75", "sm_100", "sm_100a", "sm_120f", "sm_80a", "sm_90b", "sm_9", "sm_", "sm_9x", "gfx942", "90"})
    EXPECT_EQ(arch_of({name}), CudaArch{}) << name;
  EXPECT_FALSE(CudaArch{}.is_required());
  EXPECT_EQ(arch_macros(CudaArch{}), "");
}

TEST(CudaArchTest, HasName) {
  EXPECT_EQ(name_of({900, true}), "sm_90a");
  EXPECT_EQ(name_of({800, false}), "sm_80");
}

}  // namespace
}  // namespace kmux::cpu
