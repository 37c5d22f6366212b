// PlanRunner::launch allocates nothing, for any plan.
#include <gtest/gtest.h>

#include "kmux/plugin/plan_runner.h"
#include "kmux/plugin/sink.h"

#include "allocations.h"
#include "golden/programs.h"

namespace kmux {
namespace {

/// Does nothing and allocates nothing; returns its own address as the memory of workspaces.
class SilentDriver {
 public:
  const kmux_driver_env& env() const { return env_; }

 private:
  static int launch(const kmux_driver_env*, const kmux_driver_launch*, kmux_sink) { return KMUX_OK; }
  static int fill(const kmux_driver_env*, const kmux_driver_fill*, kmux_sink) { return KMUX_OK; }
  static int tiled(const kmux_driver_env*, kmux_tensor_map*, const kmux_map_geometry*, const unsigned*, kmux_sink) {
    return KMUX_OK;
  }
  static int im2col(const kmux_driver_env*, kmux_tensor_map*, const kmux_map_geometry*, const int*, const int*,
                    unsigned, unsigned, kmux_sink) {
    return KMUX_OK;
  }
  static kmux_code allocate(void* self, std::int32_t, void*, std::size_t, std::size_t, void** address) {
    *address = self;
    return KMUX_OK;
  }
  static void free(void*, std::int32_t, void*, void*) {}

  kmux_driver driver_{&launch, &fill, &tiled, &im2col};
  kmux_allocator allocator_{sizeof(kmux_allocator), this, &allocate, &free};
  kmux_driver_env env_{{sizeof(kmux_launch_env), 0, nullptr, &allocator_, 0, 0}, &driver_, nullptr};
};

class PlanRunnerAllocationsTest : public ::testing::TestWithParam<Program> {};

TEST_P(PlanRunnerAllocationsTest, NoneForSuccessfulLaunch) {
  const Plan plan = lower(GetParam(), 0).value();
  const PlanRunner runner = PlanRunner::compile(plan).value();
  std::vector<kmux_slot> slots(plan.slots.size());
  for (kmux_slot& slot : slots) slot.bits = 64;
  const SilentDriver driver;
  const std::size_t before = test::allocations();
  const int code = runner.launch(slots.data(), driver.env(), discard());
  EXPECT_EQ(test::allocations() - before, 0u);
  EXPECT_EQ(code, KMUX_OK);
}

TEST_P(PlanRunnerAllocationsTest, NoneForOutOfRangeArguments) {
  const Plan plan = lower(GetParam(), 0).value();
  const PlanRunner runner = PlanRunner::compile(plan).value();
  std::vector<kmux_slot> slots(plan.slots.size());
  for (kmux_slot& slot : slots) slot.i64 = std::int64_t{-1} << 40;
  const SilentDriver driver;
  const std::size_t before = test::allocations();
  runner.launch(slots.data(), driver.env(), discard());
  EXPECT_EQ(test::allocations() - before, 0u);
}

INSTANTIATE_TEST_SUITE_P(Programs, PlanRunnerAllocationsTest, ::testing::ValuesIn(test::golden_programs()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace kmux
