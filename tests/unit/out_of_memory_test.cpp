// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kmux/guarded.h"

namespace kmux {
namespace {

TEST(OutOfMemoryTest, ReportsRemedy) {
  const Error error = out_of_memory();
  EXPECT_EQ(error.code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(error.message, "out of memory (the system or a limit refused more). Free some, or raise the limit.");
}

}  // namespace
}  // namespace kmux
