#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_process_plugin.h"
#include "tune/tuner.h"

namespace kmux {
namespace {

/// A kernel of one vector of n elements, whose first call is observed.
class FirstCallsTest : public testing::Test {
 protected:
  FirstCallsTest()
      : parts_(fake_parts(fake_signature({buffer_param("A", dtype::kFloat32, {Expr::symbol("n")})}),
                          [this](const kmux_slot*, const kmux_launch_env&, kmux_sink) {
                            ++launched_;
                            return answer_.load();
                          })) {
    before_ = &parts_.adapters->entry();
    watch_first_call(*parts_.adapters, parts_.signature, [this](CallSample sample) {
      launched_when_told_ = launched_;
      told_.push_back(bucket_of(sample));
    });
  }
  Status call(std::int64_t extent) {
    const Tensor tensor = Tensor::zeros({extent}, dtype::kFloat32).value();
    return kernel_.launch({tensor});
  }
  std::atomic<kmux_code> answer_ = KMUX_OK;
  std::atomic<int> launched_ = 0;
  int launched_when_told_ = 0;
  std::vector<std::string> told_;
  const LaunchEntry* before_ = nullptr;
  KernelParts parts_;
  Kernel kernel_ = make_kernel(parts_).value();
};

TEST_F(FirstCallsTest, ReportOnceThenRestoreDirectEntry) {
  EXPECT_TRUE(call(8).ok());
  EXPECT_EQ(launched_when_told_, 1) << "the call itself comes first";
  EXPECT_EQ(&parts_.adapters->entry(), before_) << "nothing is between any more";
  EXPECT_TRUE(call(16).ok());
  EXPECT_THAT(told_, testing::ElementsAre("[2^3]"));
  EXPECT_EQ(launched_, 2);
}

TEST_F(FirstCallsTest, FailedCallsAreNotReported) {
  answer_ = KMUX_LAUNCH_FAILED;
  EXPECT_FALSE(call(8).ok());
  EXPECT_THAT(told_, testing::IsEmpty());
  answer_ = KMUX_OK;
  EXPECT_TRUE(call(16).ok());
  EXPECT_THAT(told_, testing::ElementsAre("[2^4]"));
}

TEST_F(FirstCallsTest, ConcurrentThreadsReportOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_TRUE(call(8).ok()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(told_.size(), 1U);
}

}  // namespace
}  // namespace kmux
