#include <chrono>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "kmux/compile.h"

#include "scripted_programs.h"
#include "system/background.h"
#include "temp_folder.h"

namespace kmux {
namespace {

/// A plugin with two tiers; the test decides when the better one is compiled.
class ImprovingTest : public testing::Test {
 protected:
  ImprovingTest() {
    script_.manifest.tiers = {"fast", "full"};
    script_.building = [this](const Options& options) {
      if (options.at("tier") != "full" || has_begun_) return;
      has_begun_ = true;
      begun_.set_value();
      release_.get_future().wait_for(kPatience);  // a test that never releases it fails, but ends
    };
  }
  /// Waits for abandoned builds, which use the script until they end.
  ~ImprovingTest() override {
    runtime_.reset();
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (script_.users.use_count() > 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(script_.users.use_count(), 1) << "a build never ended";
  }
  static Program named(const std::string& name) {
    Program program = doubling();
    program.name = name;
    return program;
  }

  static constexpr std::chrono::seconds kPatience{10};
  TempFolder folder_;
  PluginScript script_ = launching_script("tiered", 1);
  std::promise<void> begun_, release_;
  bool has_begun_ = false;  // used by the background's thread only
  Shared<Runtime> runtime_ = runtime_of({&script_}, folder_.path() / "cache");
};

// A runtime is destroyed while one better tier is compiling and another one is queued: the first is abandoned, the
// second dropped.
TEST_F(ImprovingTest, KernelsOutliveRuntimeInCurrentTier) {
  const Kernel first = compile(*runtime_, named("first")).value();
  begun_.get_future().wait();
  const Kernel second = compile(*runtime_, named("second")).value();
  EXPECT_EQ(second.tier(), "fast");
  runtime_.reset();  // waits briefly, then abandons the build
  EXPECT_EQ(second.await_best().error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(second.tier(), "fast");
  EXPECT_EQ(first.await_best().error().code, ErrorCode::kUnavailable);
  release_.set_value();
  const Tensor vector = Tensor::zeros({4}, dtype::kFloat32).value();
  for (const Kernel* kernel : {&first, &second}) EXPECT_TRUE(kernel->launch({vector}).ok());
}

// If a first tier were loaded and called, its values would be lost when the better tier replaces it.
TEST_F(ImprovingTest, StatefulCodeIsBuiltInBestTierImmediately) {
  script_.state = "counter\n";
  release_.set_value();
  const Kernel kernel = compile(*runtime_, named("first")).value();
  EXPECT_EQ(kernel.tier(), "full");
  EXPECT_EQ(script_.built, 2);
  ASSERT_TRUE(kernel.await_best().ok());
  const Kernel other = compile(*runtime_, named("first")).value();
  EXPECT_NE(&other.launcher(), &kernel.launcher());
  EXPECT_EQ(script_.built, 2) << "from the cache, and not from memory";
}

TEST_F(ImprovingTest, BetterTierReplacesFastTier) {
  release_.set_value();
  const Kernel kernel = compile(*runtime_, named("first")).value();
  ASSERT_TRUE(kernel.await_best().ok());
  EXPECT_EQ(kernel.tier(), "full");
}

}  // namespace
}  // namespace kmux
