#include "artifact/compile_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::HasSubstr;

Environment environment() {
  return Environment::from(
      {{"KMUX_TARGET", "c"}, {"KMUX_EXECUTION_BACKEND", "cpu"}, {"KMUX_LOCK_FILE", "/a.lock"}, {"KMUX_VERBOSE", "1"}});
}

TEST(CompileSettingsTest, CompleteOptionsFromEnvironment) {
  const CompileSettings settings = settle({}, Purpose::kRun, environment()).value();
  EXPECT_EQ(settings.options,
            (CompileOptions{
                .target = "c", .execution_backend = "cpu", .verbose = true, .device = 0, .lock_file = "/a.lock"}));
  EXPECT_EQ(settings.target_variable, "KMUX_TARGET");
  EXPECT_EQ(settings.backend_variable, "KMUX_EXECUTION_BACKEND");
}

TEST(CompileSettingsTest, PreferCallerOptions) {
  const CompileOptions options{.target = "t",
                               .execution_backend = "b",
                               .target_host = "h",
                               .out_idx = {-1},
                               .verbose = false,
                               .device = 1,
                               .options = {{"engine", "host"}},
                               .compile_flags = {"-O1"},
                               .include_dirs = {"/i"},
                               .use_cache = false,
                               .isolation = Isolation::kProcess,
                               .compile_timeout_s = 0.005,
                               .policy = Policy::kPinned,
                               .lock_file = "l"};
  const CompileSettings settings = settle(options, Purpose::kRun, environment()).value();
  EXPECT_EQ(settings.options, options);
  EXPECT_EQ(settings.policy, Policy::kPinned);
  EXPECT_EQ(settings.isolation.limit, std::chrono::milliseconds(5));
  EXPECT_EQ(settings.target_variable, "");
}

TEST(CompileSettingsTest, LeaveDeviceOpenForBuilds) {
  EXPECT_EQ(settle({}, Purpose::kBuild, {}).value().options.device, std::nullopt);
}

TEST(CompileSettingsTest, RejectInvalidEnvironment) {
  EXPECT_THAT(settle({}, Purpose::kRun, Environment::from({{"KMUX_ISOLATION", "thread"}})).error().message,
              HasSubstr("isolation 'thread' is unknown"));
}

}  // namespace
}  // namespace kmux
