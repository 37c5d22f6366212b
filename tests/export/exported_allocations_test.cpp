// A call of an exported library is as cheap as a call of the runtime: it allocates nothing.
#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/exported_program.h"
#include "export/opened_library.h"
#include "integration/allocations.h"

namespace kmux::test {
namespace {

// Checks the calls after the first one.
void expect_no_allocation(const OpenedLibrary& library, std::span<const TVMFFIAny> args) {
  ASSERT_EQ(library.call(args), 0) << library.last_error();
  const std::size_t before = kmux::test::allocations();
  int failures = 0;
  for (int i = 0; i < 1000; ++i) failures += library.call(args) != 0 ? 1 : 0;
  EXPECT_EQ(kmux::test::allocations() - before, 0U);
  EXPECT_EQ(failures, 0);
}

TEST(ExportedAllocationsTest, CallMakesNoAllocation) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(axpy()).library, "axpy");
  CallTable tensors;
  const std::array<TVMFFIAny, 3> args{CallValue(2.0).any(), CallValue(tensors.tensor(dtype::kFloat32, {8})).any(),
                                      CallValue(tensors.tensor(dtype::kFloat32, {8})).any()};
  expect_no_allocation(library, args);
}

TEST(ExportedAllocationsTest, GridCallMakesNoAllocation) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(block_sums()).library, "block_sums");
  EXPECT_EQ(library.prepare(0), "");
  CallTable tensors;
  std::vector<float> x(64 * 500), y(500);
  DLTensor* const a = tensors.tensor(dtype::kFloat32, {64 * 500});
  DLTensor* const b = tensors.tensor(dtype::kFloat32, {500});
  a->data = x.data(), b->data = y.data();
  const std::array<TVMFFIAny, 4> args{CallValue(64).any(), CallValue(2.0).any(), CallValue(a).any(),
                                      CallValue(b).any()};
  expect_no_allocation(library, args);
}

TEST(ExportedAllocationsTest, RejectedCallMakesNoAllocation) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(axpy()).library, "axpy");
  const std::array<TVMFFIAny, 3> wrong{};
  EXPECT_NE(library.call(wrong), 0);  // the thread's error text now exists
  const std::size_t before = kmux::test::allocations();
  EXPECT_NE(library.call(wrong), 0);
  EXPECT_EQ(kmux::test::allocations() - before, 0U);
}

}  // namespace
}  // namespace kmux::test
