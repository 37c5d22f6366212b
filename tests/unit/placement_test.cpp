#include "jit/placement.h"

#include <gtest/gtest.h>

#include "kmux/runtime.h"

#include "scripted_registry.h"

namespace kmux {
namespace {

PluginScript script(const std::string& name, int priority, std::int32_t device_type, const std::string& target) {
  PluginScript script;
  script.manifest.name = name;
  script.manifest.priority = priority;
  script.manifest.device_types = {device_type};
  script.manifest.targets = {target, "other"};
  script.manifest.dialects = {"c"};
  return script;
}

/// A device of type 2 with two backends, and the host with one.
class PlacementTest : public testing::Test {
 protected:
  CompileOptions placed_on(DLDeviceType type, int ordinal, CompileOptions options = {}, const char* dialect = "c") {
    const Program program{.name = "p", .variants = {{.dialect = dialect}}};
    const Tensor tensor = Tensor::borrow(nullptr, {1}, dtype::kFloat32, Device::foreign({type, ordinal}));
    return placed(std::move(options), runtime_->environment(), runtime_->registry(), program,
                  std::array{Tensor(), tensor});
  }
  void restart(const Environment& environment) {
    runtime_ =
        Runtime::with(environment, Shared<ScriptedRegistry>::make(std::vector<PluginScript*>{&host_, &low_, &high_}));
  }
  void SetUp() override { restart({}); }

  PluginScript host_ = script("host", 99, kDLCPU, "cpu");
  PluginScript low_ = script("low", 1, kDLCUDA, "slow");
  PluginScript high_ = script("high", 2, kDLCUDA, "fast");
  Shared<Runtime> runtime_;
};

TEST_F(PlacementTest, FollowsTensorDevice) {
  EXPECT_EQ(placed_on(kDLCPU, 0).target, "cpu");
  EXPECT_EQ(placed_on(kDLCUDA, 3).target, "fast");
  EXPECT_EQ(placed_on(kDLCUDA, 3).device, 3);
}

TEST_F(PlacementTest, PrefersCallerOptions) {
  const CompileOptions options = placed_on(kDLCUDA, 3, {.target = "mine", .device = 1});
  EXPECT_EQ(options.target, "mine");
  EXPECT_EQ(options.device, 1);
}

TEST_F(PlacementTest, DefersToEnvironmentTarget) {
  restart({.target = "mine"});
  EXPECT_EQ(placed_on(kDLCUDA, 0).target, "");  // left to the environment
  EXPECT_EQ(placed_on(kDLCUDA, 0, {.target = "auto"}).target, "fast");
}

TEST_F(PlacementTest, PrefersNamedBackend) {
  EXPECT_EQ(placed_on(kDLCUDA, 0, {.execution_backend = "low"}).target, "slow");
  EXPECT_EQ(placed_on(kDLCPU, 0, {.execution_backend = "low"}).target, "cpu");  // the resolver will refuse it
  restart({.execution_backend = "low"});
  EXPECT_EQ(placed_on(kDLCUDA, 0).target, "slow");
}

TEST_F(PlacementTest, RequiresDialectOfBackend) {
  high_.manifest.dialects = {"d"};
  EXPECT_EQ(placed_on(kDLCUDA, 0).target, "slow");
  EXPECT_EQ(placed_on(kDLCUDA, 0, {}, "d").target, "fast");
}

TEST_F(PlacementTest, KeepsOptionsForUnknownDevice) {
  EXPECT_EQ(placed_on(kDLMetal, 0).target, "");
  EXPECT_EQ(placed({}, runtime_->environment(), runtime_->registry(), {}, std::array{Tensor()}), CompileOptions{});
}

}  // namespace
}  // namespace kmux
