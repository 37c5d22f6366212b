// The settings that a runtime takes from the Environment that it is created with.
#include "kmux/runtime.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/device.h"
#include "kmux/environment.h"
#include "kmux/json.h"
#include "kmux/registry.h"

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

class RuntimeTest : public testing::Test {
 protected:
  Environment given() const {
    Environment environment{.cache_dir = folder_.path() / "cache", .plugin_trial = "0"};
    environment.plugin_path = {KMUX_TEST_PLUGIN_DIR "/null"};
    environment.plugin_options = {{"null.speed", "high"}, {"null.colour", "red"}};
    environment.variables = {{"NULL_HOME", "/null"}};
    return environment;
  }
  TempFolder folder_;
};

TEST_F(RuntimeTest, FillsUnsetRegistryOptionsFromEnvironment) {
  const auto runtime = Runtime::create(given(), {.use_default_path = false}).value();
  EXPECT_THAT(runtime->registry().search_path(), testing::ElementsAre(fs::path(KMUX_TEST_PLUGIN_DIR "/null")));
  EXPECT_EQ(runtime->registry().plugin_options().find("null.speed")->second, "high");
  EXPECT_TRUE(runtime->registry().plugin("null").ok());
}

TEST_F(RuntimeTest, PrefersRegistryOptions) {
  const RegistryOptions options{
      .environment_path = {"/elsewhere"}, .use_default_path = false, .plugin_options = {{"null.speed", "low"}}};
  const auto runtime = Runtime::create(given(), options).value();
  EXPECT_THAT(runtime->registry().search_path(), testing::ElementsAre(fs::path("/elsewhere")));
  EXPECT_EQ(runtime->registry().plugin_options().find("null.speed")->second, "low");
  EXPECT_EQ(runtime->registry().plugin_options().find("null.colour")->second, "red");
}

TEST_F(RuntimeTest, ReportsDeviceNamesAndArchitectures) {
  const auto runtime = Runtime::create(given(), {.use_default_path = false}).value();
  const std::vector<Device> found = devices(*runtime).value();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name() + " " + found[0].arch(), "host -");
  const Json properties = found[1].properties().value();
  EXPECT_EQ(found[1].name(), *properties.find("name")->as_string());
  EXPECT_EQ(found[1].arch(), *properties.find("arch")->as_string());
  EXPECT_EQ(Device::foreign({kDLVulkan, 3}).arch(), "-");
  const Json* const bytes = properties.find("memory_bytes");
  EXPECT_EQ(found[1].memory_bytes(), bytes == nullptr ? 0 : *bytes->as_integer());
  EXPECT_EQ(Device::foreign({kDLVulkan, 3}).memory_bytes(), 0);
  EXPECT_TRUE(devices().ok());
}

TEST_F(RuntimeTest, ResolvesRelativePathsAtCreation) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  Environment environment = given();
  environment.cache_dir = "cache";
  environment.lock_file = "kmux.lock";
  environment.record_dir = "record";
  environment.trace_file = "trace.json";
  environment.cache_read_only = {"shared"};
  const auto runtime = Runtime::create(environment, {.use_default_path = false});
  const fs::path here = fs::current_path();
  fs::current_path(before);
  const Environment& taken = (*runtime)->environment();
  EXPECT_EQ(taken.cache_dir, here / "cache");
  EXPECT_EQ(taken.lock_file, here / "kmux.lock");
  EXPECT_EQ(taken.record_dir, here / "record");
  EXPECT_EQ(taken.trace_file, here / "trace.json");
  EXPECT_THAT(taken.cache_read_only, testing::ElementsAre(here / "shared"));
  EXPECT_EQ(taken.remote_cache_key_file, "");
}

}  // namespace
}  // namespace kmux
