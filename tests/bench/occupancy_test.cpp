#include <gtest/gtest.h>

#include "kmux/bench/binding.h"
#include "kmux/builder.h"

namespace kmux::bench {
namespace {

KernelAttributes attributes_of_kernel(const std::string& kernel) {
  KernelAttributes attributes{.kernel = kernel, .registers = 16, .max_threads = 1024};
  attributes.multiprocessor = {.threads = 2048, .blocks = 32, .warp_threads = 32, .partitions = 4, .registers = 65536};
  attributes.multiprocessor->register_unit = 256;
  attributes.multiprocessor->shared_bytes = 233472;
  attributes.multiprocessor->shared_unit_bytes = 128;
  return attributes;
}

/// "k" in blocks of 32 (in a loop) and of n / 2, "other" in blocks of m, whose values nothing gives.
Program program_of_launches() {
  ProgramBuilder program("launches");
  const Expr n = program.symbol("n"), m = program.symbol("m");
  program.buffer("x", BufferParam{dtype::kFloat32, {n}}).buffer("y", BufferParam{dtype::kFloat32, {m}});
  program.variant("cuda").source("k.cu", "__global__ void k(float*) {}\n__global__ void other(float*) {}\n");
  const Expr half = program.let("half", ceildiv(n, 2));
  program.body().loop("i", 0, 2,
                      [](BodyBuilder& body, const Expr&) { body.launch("k").grid({1}).block({32}).args({"x"}); });
  program.launch("k").grid({1}).block({half}).args({"x"});
  program.launch("other").grid({1}).block({m}).args({"y"});
  return program.build().value();
}

TEST(OccupancyTest, IsMinimumOfKnownLaunches) {
  const Program program = program_of_launches();
  Binding binding(program);
  ASSERT_TRUE(binding.set_symbol("n=1024").ok());
  const auto least = occupancy_of(attributes_of_kernel("k"), program.variants[0], binding);
  ASSERT_TRUE(least.has_value());
  EXPECT_EQ(least->part, 0.5) << "32 blocks of 32 threads; of 512 threads there are 4, and 1";
  EXPECT_FALSE(occupancy_of(attributes_of_kernel("other"), program.variants[0], binding).has_value());
  EXPECT_FALSE(occupancy_of(attributes_of_kernel("none"), program.variants[0], binding).has_value());
  KernelAttributes unknown = attributes_of_kernel("k");
  unknown.multiprocessor.reset();
  EXPECT_FALSE(occupancy_of(unknown, program.variants[0], binding).has_value());
}

TEST(OccupancyTest, IsUnknownForOversizedBlock) {
  const Program program = program_of_launches();
  Binding binding(program);
  ASSERT_TRUE(binding.set_symbol("m=5000").ok());
  EXPECT_FALSE(occupancy_of(attributes_of_kernel("other"), program.variants[0], binding).has_value());
  Binding fitting(program);
  ASSERT_TRUE(fitting.set_symbol("m=1024").ok());
  EXPECT_EQ(occupancy_of(attributes_of_kernel("other"), program.variants[0], fitting)->blocks, 2);
}

}  // namespace
}  // namespace kmux::bench
